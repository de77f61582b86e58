/**
 * The job editor: one form, what the engine says about it, and saving. The window computes no schedule: sentences, mistakes
 * and next runs are the engine's answers, and an answer to an older form is dropped. A failure never touches the form.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, CommandCheck, RulePreview } from '../../shared/ipc/contract';
import type { Job, JobId } from '../../shared/model/job';
import type { SchedulePreview } from '../../shared/model/preview';
import type { ScheduleRule } from '../../shared/model/schedule';
import type { Failure } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { type DraftKeeping, type KeptDraft, keepDraft, readDraft } from './editorDraft';
import { createQuestions } from './editorQuestions';
import { createSaving } from './editorSaving';
import { emptyForm, formOf, isSameForm, type JobForm, type Mistakes, reserveKeysOf } from './jobForm';
import { type FieldPath, takeFields } from './mergeForms';
import { type Attention, createRefresher } from './refresh';

/** What the engine said about one schedule of the form, and the last time it had nothing to object to. */
export type ScheduleAnswer = {
  /** The rule it is an answer to. The form may have gone on since. */
  readonly rule: ScheduleRule | null;
  readonly answer: RulePreview | null;
  readonly lastGood: SchedulePreview | null;
};

export type EditorState = {
  /** There is a job in the editor. What is not open is neither kept as a draft nor looked after. */
  readonly isOpen: boolean;
  /** null for a job that does not exist yet. */
  readonly jobId: JobId | null;
  readonly revision: number | null;
  readonly isLoading: boolean;
  readonly initial: JobForm;
  readonly form: JobForm;
  /** Fields, or parts of the form, that were changed. */
  readonly edited: ReadonlySet<string>;
  /** Fields that were left after a change: only these, or all after a try to save, show their mistakes. */
  readonly left: ReadonlySet<string>;
  readonly isTried: boolean;
  readonly refused: Mistakes;
  readonly failure: Failure | null;
  readonly isSaving: boolean;
  /** When the draft that was brought back was changed last; null if the form was opened in this window. */
  readonly broughtBackAt: Instant | null;
  /** The job was deleted elsewhere; saving brings it back. */
  readonly isDeleted: boolean;
  /** Fields that were changed elsewhere meanwhile and are in the form by now. */
  readonly taken: readonly FieldPath[];
  /** Fields that were changed both here and elsewhere. They keep the form from being saved until a person decides. */
  readonly clashes: readonly FieldPath[];
  /** Rises with each refused save, so that the view can take the user to the first mistake. */
  readonly refusalCount: number;
  /** By key of the schedule. */
  readonly answers: ReadonlyMap<number, ScheduleAnswer>;
  readonly check: CommandCheck | null;
  openNew(form?: JobForm): void;
  openJob(jobId: JobId): Promise<void>;
  /** Changes the form. `path` is the field that the change belongs to: its refusal is taken back. */
  edit(path: string, change: (form: JobForm) => JobForm): void;
  leave(path: string): void;
  /** The job as it was saved, or null if it was refused. */
  save(): Promise<Job | null>;
  /** Decides every clash for this form. */
  keepMine(): void;
  /** Decides every clash for the other change. */
  takeTheirs(): void;
  /** Gives up what was changed. */
  discard(): void;
  /** The editor was left. */
  close(): void;
  refreshPreview(): void;
};

export const isDirty = (state: EditorState): boolean => !isSameForm(state.form, state.initial);

const CLEAN = {
  isLoading: false,
  edited: new Set<string>(),
  left: new Set<string>(),
  isTried: false,
  refused: {},
  failure: null,
  isSaving: false,
  broughtBackAt: null,
  isDeleted: false,
  taken: [],
  clashes: [],
  answers: new Map<number, ScheduleAnswer>(),
  check: null,
} as const;

/** Passing by an empty field is no mistake yet, and a sentence that appears would move what is being clicked. */
function leaveField({ edited, left }: EditorState, path: string): Partial<EditorState> {
  const isEdited = [...edited].some((part) => path === part || path.startsWith(`${part}.`));
  return isEdited && !left.has(path) ? { left: new Set(left).add(path) } : {};
}

/** What the store has to begin with: nothing, or the draft that was left behind. */
function startingState(kept: KeptDraft | null): Partial<EditorState> {
  if (kept === null) return {};
  const { at, ...draft } = kept;
  reserveKeysOf(draft.initial);
  reserveKeysOf(draft.form);
  return { ...draft, isOpen: true, broughtBackAt: at };
}

export function createEditorStore(
  bridge: Bridge,
  attention: Attention,
  keeping: DraftKeeping,
): StoreApi<EditorState> {
  const { askPreview, askCheck } = createQuestions(bridge, attention, () => store);
  const { save, meet } = createSaving(
    bridge,
    () => store,
    () => {
      askPreview();
      askCheck();
    },
  );
  const open = (form: JobForm, initial: JobForm, job: Job | null): void => {
    const [jobId, revision] = job === null ? [null, null] : [job.id, job.revision];
    store.setState({ ...CLEAN, isOpen: true, jobId, revision, initial, form });
    askPreview();
    askCheck();
  };
  const openJob = async (jobId: JobId): Promise<void> => {
    // The job before must not stand under the name of this one, not even while it is being loaded.
    const blank = emptyForm();
    store.setState({
      ...CLEAN,
      isOpen: true,
      jobId,
      revision: null,
      isLoading: true,
      initial: blank,
      form: blank,
    });
    const reply = await bridge.request('jobs.get', { jobId });
    const { jobId: current, isLoading } = store.getState();
    if (current !== jobId || !isLoading) return;
    const form = reply.ok ? formOf(reply.value.job) : blank;
    if (reply.ok) open(form, form, reply.value.job);
    else store.setState({ isLoading: false, failure: reply.error });
  };
  const askJob = createRefresher(meet, attention);

  const blank = emptyForm();
  const store: StoreApi<EditorState> = createStore<EditorState>((set) => ({
    ...CLEAN,
    isOpen: false,
    jobId: null,
    revision: null,
    initial: blank,
    form: blank,
    refusalCount: 0,
    ...startingState(readDraft(keeping.memory.read())),
    openNew: (form) => {
      const empty = emptyForm();
      // A job made from an example is worth keeping: leaving it asks.
      open(form ?? empty, empty, null);
    },
    openJob,
    edit: (path, change) => {
      set((state) => ({
        form: change(state.form),
        edited: state.edited.has(path) ? state.edited : new Set(state.edited).add(path),
        refused: Object.fromEntries(
          Object.entries(state.refused).filter(([place]) => !place.startsWith(path)),
        ),
      }));
      if (path.startsWith('schedules') || path.startsWith('dates')) askPreview();
      if (path.startsWith('settings')) askCheck();
    },
    leave: (path) => set((state) => leaveField(state, path)),
    save,
    keepMine: () => set({ clashes: [], failure: null }),
    takeTheirs: () => {
      set(({ form, initial, clashes }) => ({
        form: takeFields(form, initial, clashes),
        clashes: [],
        failure: null,
      }));
      askPreview();
      askCheck();
    },
    discard: () =>
      set(({ initial }) => ({ form: initial, broughtBackAt: null, clashes: [], taken: [], failure: null })),
    close: () => set({ isOpen: false, broughtBackAt: null }),
    refreshPreview: askPreview,
  }));
  keepDraft(store, keeping);
  bridge.subscribe('jobs.changed', ({ jobId }) => {
    const { isOpen, jobId: mine } = store.getState();
    if (isOpen && mine !== null && (jobId === null || jobId === mine)) askJob();
  });
  if (store.getState().isOpen) {
    askPreview();
    askCheck();
    askJob();
  }
  return store;
}
