/**
 * The unsaved form, kept in the page's memory so that closing the window, quitting and crashing lose nothing. It is kept as
 * typed: only its shape is checked when it is read, since an older version may have written it.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { JobId } from '../../shared/model/job';
import { type Instant, toInstant } from '../../shared/time';
import { emptyCondition, emptyExcluded } from './conditionForm';
import type { EditorState } from './editor';
import { emptyForm, isSameForm, type JobForm } from './jobForm';
import type { Memory } from './place';
import { emptySchedule } from './scheduleForm';

/** Between the first change that is not written yet and the writing of it. */
export const DRAFT_REST_MS = 500;

/** A shape that defaults cannot mend gets another number, and drafts of the old one are not brought back. */
const VERSION = 1;

export type KeptDraft = {
  /** When it was changed last. */
  readonly at: Instant;
  readonly jobId: JobId | null;
  readonly revision: number | null;
  readonly initial: JobForm;
  readonly form: JobForm;
};

/** Whether `value` has everything that `sample` has, of the same types. null in the sample stands for anything. */
function isLike(sample: unknown, value: unknown): boolean {
  if (sample === null) return true;
  if (Array.isArray(sample)) return Array.isArray(value) && value.every((item) => isLike(sample[0], item));
  if (typeof sample !== 'object') return typeof value === typeof sample;
  if (typeof value !== 'object' || value === null) return false;
  const parts = value as Readonly<Record<string, unknown>>;
  return Object.entries(sample).every(([name, part]) => name in parts && isLike(part, parts[name]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const filledSchedule = (value: unknown): unknown =>
  isObject(value) ? { ...emptySchedule(), ...value } : value;

/** What an older version did not know yet has its default; what it kept as a switch is now a choice. */
function filled(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { repeatIfInterrupted, ...known } = value;
  const { schedules, aside } = known;
  return {
    ...emptyForm(),
    ...(repeatIfInterrupted === true ? { afterInterruption: 'repeat' } : {}),
    ...known,
    schedules: Array.isArray(schedules) ? schedules.map(filledSchedule) : schedules,
    aside: filledSchedule(aside),
  };
}

function isForm(value: unknown): value is JobForm {
  const empty = emptyForm();
  const settings = { ...empty.settings, arguments: [''], variables: [{ name: '', value: '' }] };
  const dates = { ...empty.dates, excluded: [emptyExcluded()] };
  const conditions = [emptyCondition('mains')];
  if (!isLike({ ...empty, settings, tags: [''], dates, conditions }, value)) return false;
  const { aside } = value as JobForm;
  return aside === null || isLike(empty.schedules[0], aside);
}

/** The draft in this text, or null if there is none that makes sense. */
export function readDraft(text: string | null): KeptDraft | null {
  if (text === null || text === '') return null;
  try {
    const found: unknown = JSON.parse(text);
    if (!isLike({ version: VERSION, at: 0, jobId: null, revision: null }, found)) return null;
    const { version, ...draft } = found as KeptDraft & { version: number };
    const [initial, form] = [filled(draft.initial), filled(draft.form)];
    return version === VERSION && isForm(initial) && isForm(form) ? { ...draft, initial, form } : null;
  } catch {
    return null;
  }
}

/** What keeping a draft needs of the page. */
export type DraftKeeping = {
  readonly memory: Memory;
  now(): number;
  /** Calls when the page goes away. */
  onHide(listener: () => void): void;
};

/** Writes the form while it is open and differs from what is saved, and forgets it as soon as it does not. */
export function keepDraft(store: StoreApi<EditorState>, { memory, now, onHide }: DraftKeeping): void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let waiting: KeptDraft | null = null;
  let isKept = memory.read() !== null;
  const write = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting === null) return;
    memory.write(JSON.stringify({ version: VERSION, ...waiting }));
    isKept = true;
    waiting = null;
  };
  store.subscribe((state, before) => {
    const { isOpen, form, initial, jobId, revision } = state;
    const isAlike = form === before.form && initial === before.initial && revision === before.revision;
    if (isAlike && isOpen === before.isOpen && jobId === before.jobId) return;
    if (isOpen && !isSameForm(form, initial)) {
      waiting = { at: toInstant(now()), jobId, revision, initial, form };
      timer ??= setTimeout(write, DRAFT_REST_MS);
      return;
    }
    waiting = null;
    if (isKept) memory.write('');
    isKept = false;
  });
  onHide(write);
}
