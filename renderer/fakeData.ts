/** What the engine in memory answers about the store on the disk: its size, its copies, and the way out when it was refused. */
import type { Handlers } from '../shared/ipc/contract';
import type { Backup, BackupId, BackupReason, DataFacts, RescueState } from '../shared/model/data';
import { fail, ok } from '../shared/result';
import { DAY_MS, type Instant, MINUTE_MS, toInstant } from '../shared/time';
import type { FakeEngine } from './fakeEngine';

/** A copy that can be put back, as far as `part` says nothing else. */
export const fakeBackup = (madeAt: Instant, part: Partial<Backup> = {}): Backup => ({
  id: `belfry-${madeAt}.db` as BackupId,
  reason: 'daily',
  madeAt,
  bytes: 2_100_000,
  jobCount: 14,
  runCount: 1_204,
  problem: null,
  ...part,
});

export const fakeRescue = (part: Partial<RescueState> = {}): RescueState => ({
  code: 'damaged',
  message: 'The file “belfry.db” failed its check: a part of it is damaged.',
  detail: 'Tree 12 page 118: btreeInitPage() returns error code 11',
  file: '/home/user/.local/share/belfry/belfry.db',
  choices: ['restore', 'repair', 'start_empty'],
  backups: [],
  canExport: true,
  repair: null,
  ...part,
});

const factsAt = (now: Instant): DataFacts => ({
  folder: '/home/user/.local/share/belfry',
  storeBytes: 210_000_000,
  outputBytes: 1_900_000_000,
  backupBytes: 640_000_000,
  freeBytes: 52_000_000_000,
  runCount: 1_004_218,
  jobCount: 14,
  oldestRunAt: toInstant(now - 340 * DAY_MS),
  lastBackupAt: toInstant(now - 16 * MINUTE_MS),
  lastCheck: { at: toInstant(now - DAY_MS), finding: null },
});

/** The disk of an engine in memory. Tests change it as they like. */
export class FakeDisk {
  facts: DataFacts;
  /** Newest first. */
  backups: Backup[] = [];
  /** null while the store is open. */
  rescue: RescueState | null = null;

  constructor(now: Instant) {
    this.facts = factsAt(now);
  }
}

export function dataAnswers(engine: FakeEngine) {
  const { disk } = engine;
  const changed = (): void => engine.bridge.announce('data.changed', {});
  const keep = (reason: BackupReason): Backup => {
    const now = toInstant(engine.now());
    const copy = fakeBackup(now, { id: `belfry-${reason}-${now}.db` as BackupId, reason });
    disk.backups = [copy, ...disk.backups];
    disk.facts = { ...disk.facts, lastBackupAt: now };
    changed();
    return copy;
  };
  const reopened = (): void => {
    disk.rescue = null;
    engine.setStatus({ state: 'running', problem: null });
    engine.bridge.announce('jobs.changed', { jobId: null });
    changed();
  };
  return {
    'data.get': async () => ok(disk.facts),
    'data.check': async () => {
      disk.facts = { ...disk.facts, lastCheck: { at: toInstant(engine.now()), finding: null } };
      return ok(disk.facts);
    },
    'data.reveal': async () => ok(undefined),
    'backups.list': async () => ok(disk.backups),
    'backups.create': async () => ok(keep('manual')),
    'backups.restore': async ({ backupId }) => {
      if (!disk.backups.some(({ id }) => id === backupId)) return fail('not_found', 'This copy is gone.');
      const { id } = keep('restore');
      reopened();
      return ok({ choice: 'restore' as const, sentences: ['The copy was put back.'], keptFile: id });
    },
    'rescue.get': async () => ok(disk.rescue),
    'rescue.retry': async () => ok(disk.rescue),
    'rescue.act': async ({ choice }) => {
      const keptFile = disk.rescue?.file ?? null;
      reopened();
      return ok({ choice, sentences: ['The store is open again.'], keptFile });
    },
    'rescue.cancelRepair': async () => ok(undefined),
    'rescue.export': async () => ok(null),
  } satisfies Partial<Handlers>;
}

/** What one process tells another, and the end of this one. */
export function processAnswers(engine: FakeEngine) {
  return {
    'engine.takeOver': async () => ok(engine.setStatus({ state: 'running', holder: null })),
    'engine.handOver': async () => ok(undefined),
    'app.quit': async () => ok(undefined),
    'runs.find': async () => ok({ runs: [], next: null }),
    'runs.counts': async () => {
      const total = { succeeded: 0, failed: 0, timed_out: 0, cancelled: 0, abandoned: 0 };
      return ok({ total, days: [] });
    },
  } satisfies Partial<Handlers>;
}
