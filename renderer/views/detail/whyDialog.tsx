/** The answer to "why?": one sentence, the facts behind it, and a way to ask about another moment. */
import { type ReactNode, useState } from 'react';
import { explainInWords } from '../../../shared/explain/words';
import type { Explanation } from '../../../shared/model/explanation';
import type { RunId } from '../../../shared/model/run';
import { type Instant, SECOND_MS, toInstant } from '../../../shared/time';
import { counted, duration, fullMoment, momentToSecond } from '../../format';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { FormDialog } from '../../ui/formDialog';
import { TextField } from '../../ui/textField';
import { wallTime } from '../editor/intervalFields';
import { useNow, useStores } from '../stores';
import { waitedSentence } from '../waitWords';
import { texts } from './whyTexts';

export function WhyDialog() {
  const { why } = useStores();
  const jobId = useSelected(why, (state) => state.jobId);
  const name = useSelected(why, (state) => state.name);
  const at = useSelected(why, (state) => state.at);
  if (jobId === null) return null;
  const close = (): void => why.getState().close();
  return (
    <FormDialog
      title={texts.title(name)}
      onClose={close}
      actions={
        <Button autoFocus onPress={close}>
          {texts.close}
        </Button>
      }
    >
      <Answer />
      {/* Another moment that was asked about, from its facts, is what the fields begin with. */}
      <MomentForm key={at ?? 'none'} at={at} />
    </FormDialog>
  );
}

function Answer() {
  const { why } = useStores();
  const { at, explanation, failure } = useSelected(why, (state) => state);
  const now = useNow('minute');
  if (at === null) return <p className="dialog-body">{texts.none}</p>;
  const moments = (moment: Instant): string => momentToSecond(moment, now);
  return (
    <section className="why-answer" aria-label={texts.answer} aria-live="polite">
      {failure !== null ? (
        <p className="why-sentence tone-fail">{failure.message}</p>
      ) : explanation === null ? (
        <p className="dialog-body">{texts.loading}</p>
      ) : (
        <>
          <p className="why-sentence">{explainInWords(explanation, at, moments)}</p>
          <Facts explanation={explanation} at={at} />
        </>
      )}
    </section>
  );
}

type Fact = readonly [name: string, value: ReactNode];

const isFact = (fact: Fact | null): fact is Fact => fact !== null;

function Facts({ explanation, at }: { explanation: Explanation; at: Instant }) {
  const now = useNow('minute');
  const facts = factsOf(explanation, at, now).filter(isFact);
  return (
    <dl className="facts why-facts num">
      {facts.map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(explanation: Explanation, at: Instant, now: Instant): (Fact | null)[] {
  const names = texts.facts;
  const moment = (name: string, when: Instant | null): Fact | null =>
    when === null ? null : [name, fullMoment(when, now)];
  const run = 'run' in explanation ? explanation.run : null;
  const pause = 'pause' in explanation ? explanation.pause : null;
  const gap = 'gap' in explanation ? explanation.gap : null;
  const blocking = 'blockingRun' in explanation ? explanation.blockingRun : null;
  return [
    explanation.plannedAt === at && run === null ? null : moment(names.planned, explanation.plannedAt),
    explanation.schedule === null ? null : [names.schedule, explanation.schedule],
    moment(names.started, run?.startedAt ?? null),
    moment(names.ended, run?.endedAt ?? null),
    run === null || run.lateMs < SECOND_MS ? null : [names.late, duration(run.lateMs)],
    run === null || run.waits.length === 0
      ? null
      : [names.waited, run.waits.map((wait) => <div key={wait.since}>{waitedSentence(wait, now)}</div>)],
    run === null || run.mergedCount === 0
      ? null
      : [names.standsFor, texts.more(counted(run.mergedCount, 'due time'))],
    explanation.code === 'waiting' ? moment(names.notBefore, explanation.notBeforeAt) : null,
    pause === null
      ? null
      : [
          names.pause,
          pause.until === null
            ? texts.from(fullMoment(pause.since, now))
            : texts.fromTo(fullMoment(pause.since, now), fullMoment(pause.until, now)),
        ],
    pause === null || pause.note === '' ? null : [names.note, `“${pause.note}”`],
    gap === null
      ? null
      : [
          names.gap,
          `${texts.gaps[gap.cause]}, ${texts.fromTo(fullMoment(gap.from, now), fullMoment(gap.to, now))}`,
        ],
    run === null ? null : [names.run, <RunLink key={run.id} runId={run.id} />],
    blocking === null ? null : [names.inTheWay, <RunLink key={blocking.id} runId={blocking.id} />],
    explanation.code === 'not_planned' ? askable(names.previous, explanation.previousAt) : null,
    explanation.code === 'not_planned' ? askable(names.next, explanation.nextAt) : null,
  ];
}

const askable = (name: string, at: Instant | null): Fact | null =>
  at === null ? null : [name, <OtherMoment key={at} at={at} />];

function OtherMoment({ at }: { at: Instant }) {
  const { why } = useStores();
  const now = useNow('minute');
  return (
    <button type="button" className="text-link" onClick={() => void why.getState().askAt(at)}>
      {fullMoment(at, now)}
    </button>
  );
}

function RunLink({ runId }: { runId: RunId }) {
  const { place, why } = useStores();
  const open = (): void => {
    const { jobId } = why.getState();
    why.getState().close();
    if (jobId !== null && place.getState().selectedId !== jobId) place.getState().select(jobId);
    place.getState().change({ tab: 'log', shownRunId: runId, isDetailOpen: true });
  };
  return (
    <button type="button" className="text-link" onClick={open}>
      {texts.openRun}
    </button>
  );
}

/** A date and a time on this laptop's clock. */
function MomentForm({ at }: { at: Instant | null }) {
  const { why, clock } = useStores();
  const [form, setForm] = useState(() => wallTime(at ?? clock.now(), 'local'));
  const [mistake, setMistake] = useState<string>();
  const ask = (): void => {
    const chosen = Date.parse(`${form.date}T${form.time}`);
    if (Number.isNaN(chosen)) setMistake(texts.unread);
    else void why.getState().askAt(toInstant(chosen));
  };
  const set = (part: Partial<typeof form>): void => {
    setMistake(undefined);
    setForm({ ...form, ...part });
  };
  return (
    <form
      className="why-form"
      aria-label={texts.form}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <TextField
        label={texts.date}
        type="date"
        value={form.date}
        onChange={(date) => set({ date })}
        error={mistake}
      />
      <TextField label={texts.time} type="time" value={form.time} onChange={(time) => set({ time })} />
      <Button onPress={ask}>{texts.ask}</Button>
    </form>
  );
}
