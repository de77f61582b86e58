/** A schedule in one sentence, as the engine reads it, or what keeps it from being read. */
import { TriangleAlert } from 'lucide-react';
import type { ScheduleWarning } from '../../../shared/model/preview';
import { moment } from '../../format';
import type { ScheduleAnswer } from '../../store/editor';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { useSelected } from '../../store/select';
import { Banner } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { useNow, useStores } from '../stores';
import { texts } from './texts';

const NO_ANSWER: ScheduleAnswer = { rule: null, answer: null, lastGood: null };
/** More than two warnings at once are noise. */
const WARNINGS_MAX = 2;

export function useAnswer(schedule: ScheduleForm | undefined): ScheduleAnswer {
  const { editor } = useStores();
  return useSelected(editor, (state) =>
    schedule === undefined ? NO_ANSWER : (state.answers.get(schedule.key) ?? NO_ANSWER),
  );
}

/** `hasMistake`: the mistake is to be shown; while something is typed for the first time it is not. */
export function Sentence({ schedule, hasMistake = true }: { schedule: ScheduleForm; hasMistake?: boolean }) {
  const { answer, lastGood } = useAnswer(schedule);
  const now = useNow('minute');
  const reading = readRule(schedule);
  const isWrong = answer?.valid === false && hasMistake && reading.rule !== null;
  const text =
    reading.rule === null
      ? schedule.kind === 'cron' && schedule.cron.expression.trim() === ''
        ? texts.cron.empty
        : reading.text
      : isWrong
        ? schedule.kind === 'cron'
          ? texts.cron.mistake
          : answer.message
        : answer?.valid
          ? answer.preview.sentence
          : (lastGood?.sentence ?? texts.cron.waiting);
  const isQuiet = reading.rule === null || (answer?.valid !== true && !isWrong);
  const [next] = answer?.valid ? answer.preview.next : [];
  return (
    <div>
      <p className={`sentence${isWrong ? ' tone-fail' : isQuiet ? ' tone-dim' : ''}`} aria-live="polite">
        {text}
      </p>
      {next === undefined ? null : (
        <p className="sentence-next num">{texts.when.next(moment(next.at, now))}</p>
      )}
    </div>
  );
}

type WarningsProps = {
  schedule: ScheduleForm;
  onDayMatch: (dayMatch: 'either' | 'both') => void;
};

/** What to watch out for. Each begins with the matter; a button offers the other way where there is one. */
export function Warnings({ schedule, onDayMatch }: WarningsProps) {
  const { answer } = useAnswer(schedule);
  if (answer?.valid !== true) return null;
  return answer.preview.warnings
    .slice(0, WARNINGS_MAX)
    .map((warning) => <WarningNote key={warning.code} warning={warning} onDayMatch={onDayMatch} />);
}

function WarningNote({
  warning,
  onDayMatch,
}: { warning: ScheduleWarning } & Pick<WarningsProps, 'onDayMatch'>) {
  const [, first = warning.text, others = ''] = /^(.+?[.!?])\s+(.*)$/s.exec(warning.text) ?? [];
  const other = warning.code === 'either_rule' ? 'both' : warning.code === 'both_rule' ? 'either' : undefined;
  return (
    <Banner
      isQuiet
      kind={warning.code === 'never_runs' ? 'fail' : 'warn'}
      icon={<Icon of={TriangleAlert} />}
      title={first}
      {...(other === undefined
        ? {}
        : {
            actions: (
              <Button isSmall onPress={() => onDayMatch(other)}>
                {other === 'both' ? texts.cron.requireBoth : texts.cron.useEither}
              </Button>
            ),
          })}
    >
      {others}
    </Banner>
  );
}
