/** Schedules that no calendar knows: after a run of another job, and when something happens to the laptop. */
import { Link } from 'lucide-react';
import { useMemo } from 'react';
import { useSelected } from '../../store/select';
import { ComboBox, type ComboOption } from '../../ui/comboBox';
import { RadioList } from '../../ui/segmented';
import { Select } from '../../ui/select';
import { useStores } from '../stores';
import { useMistakes } from './fields';
import { texts } from './policyTexts';
import { Sentence } from './sentence';
import type { ScheduleProps } from './whenSection';

/** Every other job; one that was deleted since stays there as the choice in force. */
function useJobOptions(chosen: string): readonly ComboOption[] {
  const { editor, jobs } = useStores();
  const mine = useSelected(editor, (state) => state.jobId);
  const rows = useSelected(jobs, (state) => state.rows);
  return useMemo(() => {
    const options: ComboOption[] = (rows ?? [])
      .filter(({ id }) => id !== mine)
      .map(({ id, name, summary }) => ({ id, label: name, note: summary }))
      .sort((one, other) => one.label.localeCompare(other.label));
    const isKnown = chosen === '' || options.some(({ id }) => id === chosen);
    return isKnown || rows === null ? options : [{ id: chosen, label: texts.afterJob.gone }, ...options];
  }, [rows, mine, chosen]);
}

export function AfterJobFields({ schedule, index, change }: ScheduleProps) {
  const { afterJob } = schedule;
  const words = texts.afterJob;
  const options = useJobOptions(afterJob.jobId);
  const mistakes = useMistakes();
  const path = `schedules.${index}.rule.jobId`;
  return (
    <>
      <Sentence schedule={schedule} />
      <div className="phrase">
        <span>{words.start}</span>
        <ComboBox
          // The list is read once for each set of jobs.
          key={options.length}
          look="field"
          label={words.job}
          openLabel={words.openJobs}
          placeholder={words.placeholder}
          icon={Link}
          value={afterJob.jobId}
          options={options}
          error={mistakes[path]}
          path={path}
          onChange={(jobId) => change('rule.jobId', { afterJob: { ...afterJob, jobId } })}
        />
        <Select
          label={words.on}
          value={afterJob.on}
          options={(['succeeded', 'failed', 'ended'] as const).map((id) => ({ id, label: words.ons[id] }))}
          onChange={(on) => change('rule.on', { afterJob: { ...afterJob, on } })}
        />
      </div>
      <p className="field-help">{words.help}</p>
    </>
  );
}

export function EventFields({ schedule, change }: ScheduleProps) {
  const words = texts.event;
  return (
    <>
      <Sentence schedule={schedule} />
      <RadioList
        label={words.on}
        value={schedule.event.on}
        options={(['start', 'wake', 'network'] as const).map((id) => ({ id, label: words.ons[id] }))}
        onChange={(on) => change('rule.on', { event: { on } })}
      />
      <p className="field-help">{words.help}</p>
    </>
  );
}
