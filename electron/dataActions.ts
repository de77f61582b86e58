/**
 * What this process can do about its store as a whole: bring another one into its place, with the engine stopped meanwhile, and
 * tell what is wrong with one that was refused. One such change at a time.
 */

import type { RefusalCode, RepairProgress, RescueChoice, RescueState } from '../shared/model/data';
import { fail, type Result } from '../shared/result';
import type { DataActions, DataKeeper, StoreFiles } from './ports/data';
import type { Announce } from './ports/world';
import type { StoreRefusal } from './store/refusal';
import { realClock } from './system/realTime';

/** The life of a store, as far as it matters here. */
export type PresentStore = {
  readonly refusal: StoreRefusal | null;
  /** This process runs the jobs. */
  readonly isLeading: () => Promise<boolean>;
};

export type DataActionDeps = {
  readonly file: string;
  readonly files: StoreFiles;
  readonly keeper: DataKeeper;
  readonly announce: Announce;
  readonly present: () => PresentStore;
  /** Ends the present life, does `work` while no store is open, and opens whatever lies there then. */
  readonly reopen: <T>(work: () => Promise<T>) => Promise<T>;
};

const EVERYTHING: readonly RescueChoice[] = ['restore', 'repair', 'start_empty'];
const WITHOUT_THE_FILE: readonly RescueChoice[] = ['restore', 'start_empty'];

/**
 * Only what can help. A folder that is not to be trusted is not written to; a store that somebody holds, or that lies on a
 * bad disk, is fine where it is; and one that a newer Belfry wrote is whole, so nothing but that Belfry or an older copy helps.
 */
const CHOICES: Readonly<Record<RefusalCode, readonly RescueChoice[]>> = {
  link: [],
  not_a_file: [],
  foreign_owner: [],
  open_folder: [],
  missing: WITHOUT_THE_FILE,
  empty: WITHOUT_THE_FILE,
  not_a_database: EVERYTHING,
  foreign_database: WITHOUT_THE_FILE,
  newer_schema: WITHOUT_THE_FILE,
  damaged: EVERYTHING,
  migration_failed: EVERYTHING,
  unsafe_disk: [],
  busy: [],
  unreadable: [],
};

export function createDataActions(deps: DataActionDeps): DataActions {
  const { file, files, keeper, announce, present, reopen } = deps;
  let repair: { readonly abort: AbortController; progress: RepairProgress } | null = null;
  let isChanging = false;

  const exclusively = async <T>(work: () => Promise<Result<T>>): Promise<Result<T>> => {
    if (isChanging) return fail('busy', 'Belfry’s data is being changed already. Wait until that is done.');
    isChanging = true;
    try {
      return await work();
    } finally {
      isChanging = false;
    }
  };
  const rescueState = async (): Promise<RescueState | null> => {
    const { refusal } = present();
    if (refusal === null) return null;
    const choices = CHOICES[refusal.code];
    const isTrusted = choices.length > 0;
    const backups = isTrusted ? await files.backups() : [];
    const canExport = isTrusted && (await files.canExport());
    const can: Readonly<Record<RescueChoice, boolean>> = {
      restore: backups.some(({ problem }) => problem === null),
      // What cannot be exported cannot be read into a new store either.
      repair: canExport,
      start_empty: true,
    };
    return {
      code: refusal.code,
      message: refusal.message,
      detail: refusal.detail,
      file,
      choices: choices.filter((choice) => can[choice]),
      backups,
      canExport,
      repair: repair?.progress ?? null,
    };
  };
  const repairFile = async (): ReturnType<StoreFiles['repair']> => {
    const own = { abort: new AbortController(), progress: { jobCount: 0, runCount: 0, share: null } };
    const now: { readonly abort: AbortController; progress: RepairProgress } = own;
    repair = now;
    announce('data.changed', {});
    try {
      return await files.repair({
        at: realClock.now(),
        signal: now.abort.signal,
        onProgress: (progress) => {
          now.progress = progress;
          announce('data.changed', {});
        },
      });
    } finally {
      repair = null;
      announce('data.changed', {});
    }
  };

  return {
    rescueState,
    retry: async () => {
      await exclusively(async () => {
        if (present().refusal !== null) await reopen(async () => undefined);
        return { ok: true, value: undefined };
      });
      return rescueState();
    },
    act: (what) =>
      exclusively(async () => {
        const state = await rescueState();
        if (state === null) return fail('conflict', 'Belfry’s data is open: there is nothing to mend.');
        if (!state.choices.includes(what.choice)) {
          return fail('unsupported', 'That does not help here. Mend the cause, and try again.');
        }
        const at = realClock.now();
        const done =
          what.choice === 'restore'
            ? await files.restore(what.backupId, at)
            : what.choice === 'repair'
              ? await repairFile()
              : await files.startEmpty(at);
        if (done.ok) await reopen(async () => undefined);
        return done;
      }),
    cancelRepair: () => repair?.abort.abort(),
    exportTo: (target) => files.exportTo(target),
    restoreOpen: (backupId) =>
      exclusively(async () => {
        const { refusal, isLeading } = present();
        if (refusal !== null) return fail('conflict', refusal.message);
        if (!(await isLeading())) {
          return fail('conflict', 'Another Belfry process runs your jobs. Put the copy back from there.');
        }
        const wanted = (await keeper.backups()).find(({ id }) => id === backupId);
        if (wanted === undefined) return fail('not_found', 'This copy does not exist any more.');
        if (wanted.problem !== null) return fail('invalid_input', wanted.problem);
        // First, so that nothing is lost if this was a mistake.
        await keeper.backUp('restore');
        return reopen(() => files.restore(backupId, realClock.now()));
      }),
  };
}
