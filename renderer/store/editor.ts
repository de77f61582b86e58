/**
 * The job editor: one form, what the engine says about it, and saving. The window computes no schedule: sentences, mistakes
 * and next runs are the engine's answers, and an answer to an older form is dropped. A failure never touches the form.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, CommandCheck, RulePreview } from '../../shared/ipc/contract';
import { PREVIEW_ROWS_MAX } from '../../shared/ipc/contract';
import { CommandDraft } from '../../shared/kinds/command';
import type { Job, JobId } from '../../shared/model/job';
import type { SchedulePreview } from '../../shared/model/preview';
import type { ScheduleRule } from '../../shared/model/schedule';
import type { Failure } from '../../shared/result';
import { emptyForm, formOf, type JobForm, type Mistakes, readForm, readRule } from './jobForm';
import { type Attention, createRefresher } from './refresh';

/** Between two looks at the command: a look reads folders. */
const CHECK_REST_MS = 300;

/** What the engine said about one schedule of the form, and the last time it had nothing to object to. */
export type ScheduleAnswer = {
  /** The rule it is an answer to. The form may have gone on since. */
  readonly rule: ScheduleRule | null;
  readonly answer: RulePreview | null;
  readonly lastGood: SchedulePreview | null;
};

export type EditorState = {
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
  /** After a conflict: keeps this form and saves it over the other change. */
  keepMine(): Promise<Job | null>;
  /** After a conflict: gives this form up for the other change. */
  takeTheirs(): Promise<void>;
  /** Gives up what was changed. */
  discard(): void;
  refreshPreview(): void;
};

export const isDirty = (state: EditorState): boolean =>
  JSON.stringify(state.form) !== JSON.stringify(state.initial);

const CLEAN = {
  edited: new Set<string>(),
  left: new Set<string>(),
  isTried: false,
  refused: {},
  failure: null,
  isSaving: false,
  answers: new Map<number, ScheduleAnswer>(),
  check: null,
} as const;

/** Everything that keeps the form from being saved, as far as the window and the engine's previews know. */
export function mistakesOf({ form, answers }: Pick<EditorState, 'form' | 'answers'>): Mistakes {
  const mistakes: Record<string, string> = { ...readForm(form).mistakes };
  for (const [index, schedule] of form.schedules.entries()) {
    const { answer = null, rule = null } = answers.get(schedule.key) ?? {};
    const path = rulePath(index, schedule.kind);
    // An answer to what was typed before says nothing of what stands there now; the engine will, when it is saved.
    const isCurrent = JSON.stringify(rule) === JSON.stringify(readRule(schedule).rule);
    if (answer === null || !isCurrent || path in mistakes) continue;
    const never = answer.valid
      ? answer.preview.warnings.find(({ code }) => code === 'never_runs')
      : undefined;
    if (!answer.valid) mistakes[path] = answer.message;
    else if (never !== undefined) mistakes[path] = never.text;
  }
  return mistakes;
}

/** The field of a schedule that a mistake of the whole rule belongs to. */
export const rulePath = (index: number, kind: ScheduleRule['kind']): string =>
  `schedules.${index}.rule.${kind === 'cron' ? 'expression' : kind === 'interval' ? 'everyMs' : 'local'}`;

/** The mistakes that are shown now: what the engine refused, and what the fields that were left say. */
export function shownMistakes(state: EditorState): Mistakes {
  const all = mistakesOf(state);
  const shown: Record<string, string> = {};
  for (const [path, text] of Object.entries(all)) {
    if (state.isTried || state.left.has(path)) shown[path] = text;
  }
  return { ...shown, ...state.refused };
}

const withoutPrefix = (fields: Readonly<Record<string, string>> = {}): Mistakes =>
  Object.fromEntries(Object.entries(fields).map(([path, text]) => [path.replace(/^draft\./, ''), text]));

/** Passing by an empty field is no mistake yet, and a sentence that appears would move what is being clicked. */
function leaveField({ edited, left }: EditorState, path: string): Partial<EditorState> {
  const isEdited = [...edited].some((part) => path === part || path.startsWith(`${part}.`));
  return isEdited && !left.has(path) ? { left: new Set(left).add(path) } : {};
}

export function createEditorStore(bridge: Bridge, attention: Attention): StoreApi<EditorState> {
  const { askPreview, askCheck } = createQuestions(bridge, attention, () => store);
  const openForm = (form: JobForm, job: Job | null): void => {
    store.setState({
      ...CLEAN,
      jobId: job?.id ?? null,
      revision: job?.revision ?? null,
      isLoading: false,
      initial: form,
      form,
    });
    askPreview();
    askCheck();
  };

  const openJob = async (jobId: JobId): Promise<void> => {
    store.setState({ ...CLEAN, jobId, isLoading: true });
    const reply = await bridge.request('jobs.get', { jobId });
    if (store.getState().jobId !== jobId) return;
    if (reply.ok) openForm(formOf(reply.value.job), reply.value.job);
    else store.setState({ isLoading: false, failure: reply.error });
  };

  const refuse = (failure: Failure | null, refused: Mistakes): null => {
    store.setState((state) => ({
      isTried: true,
      isSaving: false,
      failure,
      refused,
      refusalCount: state.refusalCount + 1,
    }));
    return null;
  };

  const save = async (): Promise<Job | null> => {
    const { form, jobId, revision, isSaving } = store.getState();
    if (isSaving) return null;
    if (Object.keys(mistakesOf(store.getState())).length > 0) return refuse(null, {});
    store.setState({ isSaving: true, failure: null });
    const reply = await bridge.request('jobs.save', {
      ...(jobId === null ? {} : { jobId }),
      ...(revision === null ? {} : { revision }),
      draft: readForm(form).draft,
    });
    if (reply.ok) {
      const job = reply.value;
      store.setState({ jobId: job.id, revision: job.revision, isSaving: false, initial: form });
      return job;
    }
    // The job is gone: the next try makes it anew instead of failing again.
    if (reply.error.code === 'not_found') store.setState({ jobId: null, revision: null });
    return refuse(reply.error, withoutPrefix(reply.error.fields));
  };

  const keepMine = async (): Promise<Job | null> => {
    const { jobId } = store.getState();
    if (jobId === null) return save();
    const reply = await bridge.request('jobs.get', { jobId });
    if (!reply.ok) return refuse(reply.error, {});
    store.setState({ revision: reply.value.job.revision, failure: null });
    return save();
  };

  const start = emptyForm();
  const store: StoreApi<EditorState> = createStore<EditorState>((set) => ({
    jobId: null,
    revision: null,
    isLoading: false,
    initial: start,
    form: start,
    ...CLEAN,
    refusalCount: 0,
    openNew: (form) => {
      const empty = emptyForm();
      openForm(form ?? empty, null);
      // A job made from an example is worth keeping: leaving it asks.
      if (form !== undefined) set({ initial: empty });
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
      if (path.startsWith('schedules')) askPreview();
      if (path.startsWith('settings')) askCheck();
    },
    leave: (path) => set((state) => leaveField(state, path)),
    save,
    keepMine,
    takeTheirs: async () => {
      const { jobId } = store.getState();
      if (jobId !== null) await openJob(jobId);
    },
    discard: () => set((state) => ({ form: state.initial })),
    refreshPreview: askPreview,
  }));
  return store;
}

/** What is asked while the form changes. Both drop answers to a form that has changed since. */
function createQuestions(bridge: Bridge, attention: Attention, store: () => StoreApi<EditorState>) {
  let sequence = 0;
  const askPreview = createRefresher(async () => {
    sequence += 1;
    const mine = sequence;
    const { schedules } = store().getState().form;
    const asked = schedules.flatMap((schedule) => {
      const { rule } = readRule(schedule);
      return rule === null ? [] : [{ key: schedule.key, rule }];
    });
    const rules = asked.map(({ rule }) => rule);
    const reply =
      rules.length === 0
        ? null
        : await bridge.request('schedules.preview', { rules, rowsMax: PREVIEW_ROWS_MAX });
    const isStale = mine !== sequence || store().getState().form.schedules !== schedules;
    if (isStale || (reply !== null && !reply.ok)) return;
    store().setState((state) => {
      const answers = new Map<number, ScheduleAnswer>();
      for (const { key } of schedules) {
        const at = asked.findIndex((one) => one.key === key);
        const answer = reply?.value[at] ?? null;
        const rule = asked[at]?.rule ?? null;
        const lastGood = answer?.valid ? answer.preview : (state.answers.get(key)?.lastGood ?? null);
        answers.set(key, { rule, answer, lastGood });
      }
      return { answers };
    });
  }, attention);

  const askCheck = createRefresher(
    async () => {
      const { settings } = store().getState().form;
      if (!CommandDraft.safeParse(settings).success) return;
      const reply = await bridge.request('commands.check', settings);
      if (reply.ok && store().getState().form.settings === settings) {
        store().setState({ check: reply.value });
      }
    },
    attention,
    CHECK_REST_MS,
  );
  return { askPreview, askCheck };
}
