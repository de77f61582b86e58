/** Made-up copies, damages and reports, for looking at what the window says about the store. */
import type { BackupId, RescueReport, RescueState } from '../shared/model/data';
import { DAY_MS, toInstant } from '../shared/time';
import { fakeBackup, fakeRescue } from './fakeData';
import type { FakeEngine } from './fakeEngine';
import type { FakeJob } from './fakeRecords';
import { at, LOOK_NOW } from './lookJobs';

export function addCopies(engine: FakeEngine): void {
  const daysAgo = (days: number) => toInstant(at('03-11T13:58:00') - days * DAY_MS);
  engine.disk.backups = [
    fakeBackup(daysAgo(0), { jobCount: 14, runCount: 1_004_177, bytes: 209_000_000 }),
    fakeBackup(daysAgo(1), { jobCount: 14, runCount: 1_002_310, bytes: 208_400_000 }),
    fakeBackup(daysAgo(3), {
      reason: 'migration',
      jobCount: 13,
      runCount: 998_027,
      bytes: 207_800_000,
    }),
    fakeBackup(daysAgo(4), {
      reason: 'manual',
      bytes: 207_100_000,
      problem: 'It is damaged: its end is missing.',
    }),
    fakeBackup(daysAgo(9), {
      id: 'belfry-old.db' as BackupId,
      reason: 'import',
      jobCount: 6,
      runCount: 990_411,
    }),
  ];
}

const REFUSALS: Readonly<Record<string, Partial<RescueState>>> = {
  damaged: {},
  missing: {
    code: 'missing',
    message: 'The file “belfry.db” is gone, although Belfry has written it before. Perhaps it was moved.',
    choices: ['restore', 'start_empty'],
    canExport: false,
  },
  newer: {
    code: 'newer_schema',
    message: 'The file “belfry.db” was written by a newer Belfry. Install that version again to open it.',
    choices: [],
    backups: [],
    canExport: false,
  },
  repairing: { repair: { jobCount: 1_204, runCount: 883_012, share: 0.88 } },
};

/** For the scenes that show a refused store. */
export function refuseStore(engine: FakeEngine, scene: string): void {
  const part = REFUSALS[scene];
  if (part === undefined) return;
  const rescue = fakeRescue({ backups: engine.disk.backups, ...part });
  engine.disk.rescue = rescue;
  engine.setStatus({ state: 'store_failed', problem: rescue.message });
}

export const restoredReport: RescueReport = {
  choice: 'restore',
  sentences: [
    'Belfry went back to the copy from Thu 11 Mar 13:58, with 14 jobs and 1,004,177 runs.',
    'What was due between 13:58 and 14:14 is not run again, because it may have run before.',
  ],
  keptFile: `/home/user/.local/share/belfry/belfry.db.unreadable-${LOOK_NOW}`,
};

/** As the engine tells of a job whose stored form cannot be read. */
export function makeUnreadable(one: FakeJob): void {
  const name = 'A job that cannot be read';
  one.job = { ...one.job, name, isEnabled: false, disabledReason: 'quarantined' };
  one.row = {
    ...one.row,
    name,
    summary: 'revision 3: settings: not a JSON object',
    tags: [],
    isEnabled: false,
    disabledReason: 'quarantined',
    state: 'failed',
    scheduleShort: '',
    next: { code: 'paused', until: null },
  };
}
