/** What is paused, until when and why, with the way out of it. Several pauses are one line: the newest is named. */
import type { Pause } from '../../shared/model/pause';
import { count, moment } from '../format';
import { Banner } from '../ui/banner';
import { Button } from '../ui/button';
import { Icon, PauseIcon } from '../ui/icon';
import { usePauseActions } from './pauseActions';
import { texts } from './pauseTexts';
import { useNow } from './stores';

const whatOf = ({ scope }: Pause): string =>
  scope.kind === 'all' ? texts.all : scope.kind === 'tag' ? texts.tag(scope.tag) : texts.job;

type PauseBannerProps = {
  /** At least one. */
  pauses: readonly Pause[];
  /** Part of the page that was opened: not announced. */
  isQuiet?: boolean;
};

export function PauseBanner({ pauses, isQuiet = false }: PauseBannerProps) {
  const now = useNow('minute');
  const actions = usePauseActions();
  const [first] = pauses;
  if (first === undefined) return null;
  const ends = first.until === null ? '' : texts.ends(moment(first.until, now));
  const others = pauses.length > 1 ? ` ${texts.more(count(pauses.length - 1))}` : '';
  return (
    <Banner
      kind="info"
      isQuiet={isQuiet}
      icon={<Icon of={PauseIcon} />}
      title={`${whatOf(first)}${ends}${others}.`}
      actions={
        <Button isSmall onPress={() => void actions.end(pauses)}>
          {texts.resume}
        </Button>
      }
    >
      {first.note !== '' ? `“${first.note}”` : first.until === null ? texts.skipped : texts.skippedUntil}
    </Banner>
  );
}
