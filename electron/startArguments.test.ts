import { expect, test } from 'vitest';
import { parseArguments, parseSecondStart } from './startArguments';

const packaged = { isPackaged: true };
const development = { isPackaged: false };

test.each([
  [['belfry'], packaged, false],
  [['belfry', 'agent'], packaged, true],
  [['belfry', '--no-sandbox', 'agent', '--user-data-dir=/data'], packaged, true],
  [['electron', '.', 'agent'], development, true],
  [['electron', '--no-sandbox', '/project', 'agent'], development, true],
  [['electron', '--no-sandbox', '/agent'], development, false],
  [['electron', 'agent'], development, false],
])('%s: agent is told apart from the path of the application', (argv, how, isAgent) => {
  expect(parseArguments(argv, how).isAgent).toBe(isAgent);
});

test('knows what the window is to show, and whether it is to be shown at all', () => {
  expect(parseArguments(['belfry', '--new-job', '--hidden'], packaged)).toEqual({
    isAgent: false,
    isHidden: true,
    show: { place: 'new_job', jobId: null },
  });
});

test('what a second start sends is read as it was meant (4.11)', () => {
  const { show } = parseArguments(['belfry', '--new-job'], packaged);
  expect(parseSecondStart(structuredClone(show))).toEqual(show);
});

test.each([
  [undefined],
  [null],
  ['jobs'],
  [{}],
  [{ place: 'elsewhere', jobId: null }],
  [{ place: 'jobs', jobId: 'no id' }],
  [{ place: 'jobs', jobId: null, extra: 1 }],
  [JSON.parse('{"place":"jobs","jobId":null,"__proto__":{}}')],
])('a malformed message of a second start is refused: %o (4.11)', (data) => {
  expect(parseSecondStart(data)).toBeNull();
});
