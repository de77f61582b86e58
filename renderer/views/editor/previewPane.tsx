/** What the job will do, in plain words and with its next moments. Defaults are written out: nothing happens unread. */
import { type ReactNode, useMemo } from 'react';
import { kindSummary } from '../../../shared/kinds/registry';
import { Condition } from '../../../shared/model/condition';
import { Dates } from '../../../shared/model/dates';
import { Policies } from '../../../shared/model/policies';
import { readForm } from '../../store/jobForm';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { texts as detailTexts } from '../detail/texts';
import { conditionWords, datesWords, limitWords, missedWords } from '../policyWords';
import { useNow } from '../stores';
import { useForm } from './fields';
import { NextRuns } from './nextRuns';
import { useAnswer } from './sentence';
import { texts } from './texts';
import { WhatIfPanel } from './whatIfPanel';

const words = texts.preview;

export function PreviewPane({ shownIndex }: { shownIndex: number }) {
  const schedule = useForm((form) => form.schedules[shownIndex]);
  const hasSchedules = useForm((form) => form.schedules.length > 0);
  return (
    <section className="preview" aria-label={words.title} data-region="preview">
      <h2>{words.title}</h2>
      <JobWords />
      {schedule === undefined || !isTimed(schedule) ? null : (
        <NextRuns key={schedule.key} schedule={schedule} />
      )}
      {hasSchedules ? <WhatIfPanel /> : null}
    </section>
  );
}

/** Whether a calendar knows its next moments. */
const isTimed = ({ kind }: ScheduleForm): boolean => kind !== 'after_job' && kind !== 'event';

function JobWords() {
  const form = useForm((all) => all);
  const now = useNow('minute');
  const draft = useMemo(() => readForm(form).draft, [form]);
  const command = kindSummary(form.settings);
  const { facts } = detailTexts;
  // What has a mistake is told at its field; here it is left out until it can be read.
  const policies = Policies.safeParse(draft.policies);
  const conditions = (draft.conditions ?? []).flatMap((one) => {
    const read = Condition.safeParse(one);
    return read.success ? [conditionWords(read.data)] : [];
  });
  const dates = Dates.safeParse(draft.dates);
  const days = dates.success ? datesWords(dates.data, now) : null;
  return (
    <dl className="facts">
      <dt>{words.runs}</dt>
      <dd className="mono preview-command">{command || texts.summaries.nothing}</dd>
      <dt>{words.folder}</dt>
      <dd>{form.settings.folder || facts.home}</dd>
      <Sentences />
      {days === null || form.schedules.length === 0 ? null : <Fact name={facts.days}>{days}</Fact>}
      {conditions.length === 0 ? null : (
        <Fact name={facts.conditions}>
          {conditions.map((text) => (
            <div key={text}>{text}</div>
          ))}
        </Fact>
      )}
      {form.schedules.length === 0 || !policies.success ? null : (
        <Fact name={words.missed}>{missedWords(policies.data.catchUp)}</Fact>
      )}
      {policies.success ? <Fact name={words.limits}>{limitWords(policies.data)}</Fact> : null}
      {form.isEnabled ? null : <Fact name={words.state}>{words.off}</Fact>}
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function Sentences() {
  const schedules = useForm((form) => form.schedules);
  return (
    <>
      <dt>{words.when}</dt>
      <dd>
        {schedules.length === 0 ? words.byHand : null}
        {schedules.map((schedule) => (
          <ScheduleWords key={schedule.key} schedule={schedule} />
        ))}
      </dd>
    </>
  );
}

function ScheduleWords({ schedule }: { schedule: ScheduleForm }) {
  const { answer } = useAnswer(schedule);
  const { kind, cron } = schedule;
  const isTooLong = kind === 'cron' && cron.expression.trim() !== '' && readRule(schedule).rule === null;
  if (isTooLong) return <div className="tone-fail">{words.mistake}</div>;
  if (readRule(schedule).rule === null || answer === null) return <div>{texts.summaries.notSet}</div>;
  if (answer.valid) return <div>{answer.preview.sentence}</div>;
  return <div className="tone-fail">{kind === 'cron' ? words.mistake : answer.message}</div>;
}
