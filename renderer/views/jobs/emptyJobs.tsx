/** No jobs yet: help to make the first one. The examples open the editor filled in; nothing is saved before the user does. */
import { Plus } from 'lucide-react';
import { emptyCommandSettings } from '../../../shared/kinds/command';
import { emptyForm, type JobForm } from '../../store/jobForm';
import { emptySchedule } from '../../store/scheduleForm';
import { Button } from '../../ui/button';
import { EmptyState } from '../../ui/emptyState';
import { isMac } from '../../ui/shortcut';
import { useStores } from '../stores';
import { texts } from './texts';

type Example = (typeof texts.examples)[number];

/** The editor's form for an example. */
export function exampleForm(example: Example): JobForm {
  const schedule = emptySchedule();
  const line = isMac && 'lineOnMac' in example ? example.lineOnMac : example.line;
  return {
    ...emptyForm(),
    name: example.name,
    settings: { ...emptyCommandSettings, line },
    schedules: [{ ...schedule, cron: { ...schedule.cron, expression: example.expression } }],
    // A reminder that comes an hour late reminds of nothing.
    ...(example.id === 'reminder' ? { catchUp: 'none' } : {}),
  };
}

export function EmptyJobs() {
  const { navigation } = useStores();
  return (
    <EmptyState
      title={texts.empty.title}
      actions={
        <>
          <Button variant="primary" icon={Plus} onPress={() => navigation.newJob()}>
            {texts.actions.newJob}
          </Button>
          <ul className="examples">
            {texts.examples.map((example) => (
              <li key={example.id}>
                <Button onPress={() => navigation.newJob(exampleForm(example))}>{example.label}</Button>
              </li>
            ))}
          </ul>
        </>
      }
    >
      {texts.empty.text}
    </EmptyState>
  );
}
