/** A whole line of a crontab was pasted: its schedule stays, and its command can be the command of the job. */
import { Info } from 'lucide-react';
import { Banner } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useStores } from '../stores';
import { crontabLineOf } from './expression';
import { texts } from './texts';

type CrontabOfferProps = { expression: string; onSchedule: (expression: string) => void };

export function CrontabOffer({ expression, onSchedule }: CrontabOfferProps) {
  const { editor } = useStores();
  const line = crontabLineOf(expression);
  if (line === null) return null;
  const takeBoth = (): void => {
    editor.getState().edit('settings.line', (form) => ({
      ...form,
      settings: { ...form.settings, form: 'shell', line: line.command },
    }));
    onSchedule(line.schedule);
  };
  return (
    <Banner
      kind="info"
      icon={<Icon of={Info} />}
      title={texts.cron.crontab(line.command)}
      actions={
        <>
          <Button isSmall onPress={takeBoth}>
            {texts.cron.crontabBoth}
          </Button>
          <Button isSmall onPress={() => onSchedule(line.schedule)}>
            {texts.cron.crontabSchedule}
          </Button>
        </>
      }
    />
  );
}
