/**
 * "What would happen" to the job in the editor: the engine's answer for a scenario and the form as it stands. It is asked
 * once typing rests, and an answer to an older question is dropped.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import type { WhatIf } from '../../shared/model/whatIf';
import type { Failure } from '../../shared/result';
import { type Instant, toInstant } from '../../shared/time';
import type { EditorState } from './editor';
import { readForm } from './jobForm';
import { mistakesOf } from './mistakes';
import { emptyScenario, type ScenarioForm, SPAN_MS, scenarioOf } from './scenario';

/** Between the last change and the question: the engine lives through days for it. */
export const WHAT_IF_REST_MS = 400;

export type WhatIfState = {
  readonly scenario: ScenarioForm;
  readonly isAsking: boolean;
  /** The form has mistakes, or the scenario is half typed. */
  readonly isUnfinished: boolean;
  /** The newest answer that the engine gave; it stays while the next is awaited. */
  readonly answer: WhatIf | null;
  readonly failure: Failure | null;
  suppose(part: Partial<ScenarioForm>): void;
};

export function createWhatIfStore(
  bridge: Bridge,
  editor: StoreApi<EditorState>,
  now: () => number,
): StoreApi<WhatIfState> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sequence = 0;
  const ask = async (): Promise<void> => {
    const { form, jobId } = editor.getState();
    const from: Instant = toInstant(now());
    const scenario = scenarioOf(store.getState().scenario, from);
    if (scenario === null || Object.keys(mistakesOf(editor.getState())).length > 0) {
      store.setState({ isAsking: false, isUnfinished: true });
      return;
    }
    sequence += 1;
    const mine = sequence;
    store.setState({ isAsking: true, isUnfinished: false });
    // A draft counts as switched on: what it would do is what is asked.
    const draft = { ...readForm(form).draft, isEnabled: true };
    const until = toInstant(from + SPAN_MS);
    const own = jobId === null ? {} : { jobId };
    const reply = await bridge.request('preview.whatIf', { ...own, draft, from, until, scenario });
    if (mine !== sequence) return;
    store.setState(
      reply.ok
        ? { isAsking: false, answer: reply.value, failure: null }
        : { isAsking: false, answer: null, failure: reply.error },
    );
  };
  const later = (): void => {
    clearTimeout(timer);
    sequence += 1;
    if (!editor.getState().isOpen || store.getState().scenario.kind === 'nothing') return;
    timer = setTimeout(() => void ask(), WHAT_IF_REST_MS);
  };
  const store: StoreApi<WhatIfState> = createStore<WhatIfState>((set) => ({
    scenario: emptyScenario,
    isAsking: false,
    isUnfinished: false,
    answer: null,
    failure: null,
    suppose: (part) => {
      set(({ scenario }) => ({ scenario: { ...scenario, ...part }, failure: null }));
      if (part.kind !== undefined)
        set({ answer: null, isAsking: part.kind !== 'nothing', isUnfinished: false });
      later();
    },
  }));
  editor.subscribe((state, before) => {
    if (state.isOpen !== before.isOpen || (state.jobId !== before.jobId && before.isLoading)) {
      store.setState({
        scenario: { ...store.getState().scenario, kind: 'nothing' },
        answer: null,
        failure: null,
      });
    }
    if (state.form !== before.form || state.answers !== before.answers) later();
  });
  return store;
}
