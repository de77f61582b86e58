/** When to run: up to five schedules, each a calendar's or an event's. None means by hand only. Below, on which days. */
import { Plus, Trash2 } from 'lucide-react';
import { SCHEDULES_MAX } from '../../../shared/model/schedule';
import { emptySchedule, type ScheduleForm, type ScheduleKind } from '../../store/scheduleForm';
import { Button } from '../../ui/button';
import { Segmented } from '../../ui/segmented';
import { useStores } from '../stores';
import { CronFields } from './cronFields';
import { DaysFields } from './daysFields';
import { AfterJobFields, EventFields } from './eventFields';
import { useForm, useFormChange } from './fields';
import { IntervalFields, OnceFields } from './intervalFields';
import { texts } from './texts';
import { ZoneField } from './zoneField';

const words = texts.when;

type Choice = ScheduleKind | 'hand';

const KINDS: readonly ScheduleKind[] = ['cron', 'interval', 'once', 'after_job', 'event'];

/** What a part of the section is given: the schedule, its place among them, and how to change it. */
export type ScheduleProps = {
  schedule: ScheduleForm;
  index: number;
  change: (field: string, part: Partial<ScheduleForm>) => void;
};

type WhenProps = { shownIndex: number; onShow: (index: number) => void };

export function WhenSection({ shownIndex, onShow }: WhenProps) {
  const schedules = useForm((form) => form.schedules);
  const change = useScheduleChange(shownIndex);
  const schedule = schedules[shownIndex];
  return (
    <>
      {schedules.length > 1 ? <ScheduleBar shownIndex={shownIndex} onShow={onShow} /> : null}
      <KindLine shownIndex={shownIndex} onShow={onShow} />
      {schedule === undefined ? (
        <p className="section-text">{words.byHand}</p>
      ) : (
        <RuleFields key={schedule.key} schedule={schedule} index={shownIndex} change={change} />
      )}
      {schedules.length === 1 ? <AddButton onShow={onShow} /> : null}
      {schedules.length === 0 ? null : <DaysFields />}
    </>
  );
}

function RuleFields(props: ScheduleProps) {
  switch (props.schedule.kind) {
    case 'cron':
      return <CronFields {...props} />;
    case 'interval':
      return <IntervalFields {...props} />;
    case 'once':
      return <OnceFields {...props} />;
    case 'after_job':
      return <AfterJobFields {...props} />;
    case 'event':
      return <EventFields {...props} />;
  }
}

function useScheduleChange(index: number): ScheduleProps['change'] {
  const { editor } = useStores();
  return (field, part) =>
    editor.getState().edit(`schedules.${index}.${field}`, (form) => ({
      ...form,
      schedules: form.schedules.map((one, at) => (at === index ? { ...one, ...part } : one)),
    }));
}

/** The kind and the zone. By hand only is a choice while there is at most one schedule. */
function KindLine({ shownIndex, onShow }: WhenProps) {
  const schedules = useForm((form) => form.schedules);
  const aside = useForm((form) => form.aside);
  const setForm = useFormChange();
  const change = useScheduleChange(shownIndex);
  const schedule = schedules[shownIndex];
  const kinds: readonly Choice[] = schedules.length > 1 ? KINDS : [...KINDS, 'hand'];
  const choose = (kind: Choice): void => {
    if (kind === 'hand') setForm('schedules', { schedules: [], aside: schedule ?? null });
    else if (schedule === undefined) {
      setForm('schedules', { schedules: [{ ...(aside ?? emptySchedule()), kind }], aside: null });
      onShow(0);
    } else change('rule', { kind });
  };
  const hasZone = schedule?.kind === 'cron' || schedule?.kind === 'once';
  return (
    <div className="when-kind">
      <Segmented
        label={words.kind}
        value={schedule?.kind ?? 'hand'}
        options={kinds.map((id) => ({ id, label: words.kinds[id] }))}
        onChange={choose}
      />
      <span className="grow" />
      {schedule !== undefined && hasZone ? (
        <ZoneField schedule={schedule} index={shownIndex} change={change} />
      ) : null}
    </div>
  );
}

/** Which of several schedules is shown. */
function ScheduleBar({ shownIndex, onShow }: WhenProps) {
  const schedules = useForm((form) => form.schedules);
  const change = useFormChange();
  const remove = (): void => {
    change('schedules', { schedules: schedules.filter((_, at) => at !== shownIndex) });
    onShow(Math.max(0, shownIndex - 1));
  };
  return (
    <div className="schedule-bar">
      <Segmented
        label={words.schedules}
        value={String(shownIndex)}
        options={schedules.map((_, at) => ({ id: String(at), label: words.schedule(at + 1) }))}
        onChange={(id) => onShow(Number(id))}
      />
      {schedules.length < SCHEDULES_MAX ? <AddButton onShow={onShow} /> : null}
      <Button isSmall variant="quiet" icon={Trash2} onPress={remove}>
        {words.remove}
      </Button>
    </div>
  );
}

function AddButton({ onShow }: Pick<WhenProps, 'onShow'>) {
  const schedules = useForm((form) => form.schedules);
  const change = useFormChange();
  const add = (): void => {
    change('schedules', { schedules: [...schedules, emptySchedule()] });
    onShow(schedules.length);
  };
  return (
    <div>
      <Button isSmall variant="quiet" icon={Plus} onPress={add}>
        {words.add}
      </Button>
    </div>
  );
}
