import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ProcessTable, processGroup } from './processGroup';

const sent: [number, string | number | undefined][] = [];
beforeEach(() => {
  sent.length = 0;
  vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    sent.push([pid, signal]);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const identity = { pid: 40, processGroup: 40, processStart: 'at dawn' };
type Look = ReturnType<ProcessTable['look']>;
const found = (start: string | null, isZombie = false): Look => ({
  kind: 'found',
  process: { start, isZombie },
});
const inGroup = { pid: 41, group: 40, hasEntry: true };
const bare = { pid: 42, group: 40, hasEntry: false };
const escaped = { pid: 50, group: 50, hasEntry: true };

const groupWith = (look: Look, isOwnChild = false) =>
  processGroup(identity, {
    runId: 'r',
    isOwnChild: () => isOwnChild,
    processes: {
      look: () => look,
      search: async ({ entry, group }) => {
        expect(entry).toBe('BELFRY_RUN_ID=r');
        const shim = { pid: 40, group: 40, hasEntry: true };
        return [shim, inGroup, bare, escaped].filter((one) => one.hasEntry || one.group === group);
      },
    },
  });

// A number can be used again, so a group is signalled only while it is certainly ours.
test.each([
  ['our own child', found('another'), true, 'alive', true],
  ['the same process', found('at dawn'), false, 'alive', true],
  ['the shim ended, its group lives', { kind: 'absent' } as Look, false, 'gone', true],
  ['the shim ended and was not waited for', found('at dawn', true), false, 'gone', true],
  ['a stranger has the number', found('at noon'), false, 'gone', false],
  ['a stranger that ended has the number', found('at noon', true), false, 'gone', false],
  ['the system has no start time', found(null), false, 'unknown', false],
  ['the system tells nothing', { kind: 'unknown' } as Look, false, 'unknown', false],
] as const)('%s', async (_, look, isOwnChild, state, isOurs) => {
  const group = groupWith(look, isOwnChild);
  expect(group.shim()).toBe(state);
  expect(await group.members()).toEqual(
    isOurs ? { inGroup: [41, 42], escaped: [50] } : { inGroup: [], escaped: [41, 50] },
  );
  expect(await group.signal('SIGTERM')).toEqual(isOurs ? [50] : [41, 50]);
  expect(sent).toEqual([...(isOurs ? [[-40, 'SIGTERM']] : [[41, 'SIGTERM']]), [50, 'SIGTERM']]);
});

test('nobody to signal is no error', async () => {
  vi.mocked(process.kill).mockImplementation(() => {
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
  });
  const group = groupWith({ kind: 'absent' });
  expect(group.mayHaveMembers()).toBe(false);
  await group.signal('SIGKILL');
});

test('somebody who may not be signalled is there', () => {
  vi.mocked(process.kill).mockImplementation(() => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  });
  expect(groupWith({ kind: 'absent' }).mayHaveMembers()).toBe(true);
});
