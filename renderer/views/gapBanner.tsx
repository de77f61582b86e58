/** After a sleep or a time off in which due times passed: how long it was, what was missed, and what is made up for it. */
import { Moon } from 'lucide-react';
import type { SchedulerStatus } from '../../shared/model/settings';
import { HOUR_MS } from '../../shared/time';
import { counted, moment } from '../format';
import { useSelected } from '../store/select';
import { Banner } from '../ui/banner';
import { Button } from '../ui/button';
import { Icon } from '../ui/icon';
import { viewFilters } from './jobs/filter';
import { useNow, useStores } from './stores';
import { texts } from './texts';

const words = texts.gap;
/** After that it is history. */
const NEWS_MS = 4 * HOUR_MS;

type Gap = NonNullable<SchedulerStatus['lastGap']>;

/** The last gap while it is news: due times passed in it, and nobody has closed its note. */
export function useNewGap(): Gap | null {
  const { status, place } = useStores();
  const gap = useSelected(status, (state) => state.status?.lastGap ?? null);
  const seenAt = useSelected(place, (state) => state.seenGapAt);
  const now = useNow('minute');
  if (gap === null || gap.to <= seenAt || now - gap.to > NEWS_MS) return null;
  return gap.caughtUpCount > 0 || gap.missedCount > 0 ? gap : null;
}

function missedWords({ missedCount, missedJobCount }: Gap): string | null {
  if (missedCount === 0) return null;
  return words.missedBy(counted(missedJobCount, 'job'), counted(missedCount, 'due time'));
}

/** `3 jobs missed 7 due times while asleep, 22:10 to 07:32.` */
export function GapBanner({ gap }: { gap: Gap }) {
  const { place } = useStores();
  const now = useNow('minute');
  const span = words.span(moment(gap.from, now), moment(gap.to, now));
  const missed = missedWords(gap);
  const title =
    missed === null
      ? words.was(words.causes[gap.cause], span)
      : words.while(missed, words.whiles[gap.cause], span);
  const show = (): void => place.getState().change({ filter: viewFilters.late, seenGapAt: gap.to });
  return (
    <Banner
      kind="info"
      icon={<Icon of={Moon} />}
      title={title}
      actions={
        <>
          <Button isSmall onPress={show}>
            {words.show}
          </Button>
          <Button isSmall onPress={() => place.getState().change({ seenGapAt: gap.to })}>
            {texts.app.close}
          </Button>
        </>
      }
    >
      {gap.caughtUpCount === 0
        ? words.none
        : words.caughtUp(counted(gap.caughtUpCount, 'run'), gap.caughtUpCount)}
    </Banner>
  );
}
