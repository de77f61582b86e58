/** What the editor asks the engine while the form changes. An answer to a form that has changed since is dropped. */
import type { StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import { PREVIEW_ROWS_MAX } from '../../shared/ipc/contract';
import { KindDraft } from '../../shared/kinds/registry';
import { Dates } from '../../shared/model/dates';
import { readDates } from './conditionForm';
import type { EditorState, ScheduleAnswer } from './editor';
import { type Attention, createRefresher } from './refresh';
import { readRule } from './scheduleForm';

/** Between two looks at the command: a look reads folders. */
const CHECK_REST_MS = 300;

/** `askPreview` asks about every schedule that can be read, `askCheck` about the command. */
export function createQuestions(bridge: Bridge, attention: Attention, store: () => StoreApi<EditorState>) {
  let sequence = 0;
  const askPreview = createRefresher(async () => {
    sequence += 1;
    const mine = sequence;
    const { schedules, dates: typedDates } = store().getState().form;
    const dates = Dates.safeParse(readDates(typedDates));
    const asked = schedules.flatMap((schedule) => {
      const { rule } = readRule(schedule);
      return rule === null ? [] : [{ key: schedule.key, rule }];
    });
    const rules = asked.map(({ rule }) => rule);
    const reply =
      rules.length === 0
        ? null
        : await bridge.request('schedules.preview', {
            rules,
            rowsMax: PREVIEW_ROWS_MAX,
            // Half-typed dates are no dates yet.
            ...(dates.success ? { dates: dates.data } : {}),
          });
    const { form } = store().getState();
    const isStale = mine !== sequence || form.schedules !== schedules || form.dates !== typedDates;
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
      if (!KindDraft.safeParse(settings).success) return;
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
