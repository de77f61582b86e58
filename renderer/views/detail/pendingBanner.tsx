/** What a queued run waits for: a condition, its next try, or its spread. One button starts it at once. */
import type { Job } from '../../../shared/model/job';
import type { Run } from '../../../shared/model/run';
import { moment, until } from '../../format';
import { Banner } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Glyph, type GlyphName } from '../glyph';
import { useJobActions } from '../jobs/actions';
import { useNowNear } from '../stores';
import { waitSentence } from '../waitWords';
import { attemptOf } from '../words';
import { texts } from './texts';

const words = texts.pending;

type Pending = {
  readonly glyph: GlyphName;
  readonly title: string;
  readonly text: string;
  readonly action: string;
};

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** null for a run that only waits for a place. */
function pendingOf(run: Run, now: ReturnType<typeof useNowNear>): Pending | null {
  const wait = run.waits.findLast(({ endedAt }) => endedAt === null);
  if (wait !== undefined) {
    return { glyph: 'due', title: capital(waitSentence(wait, now)), text: '', action: words.runAnyway };
  }
  if (run.notBeforeAt === null || run.notBeforeAt <= now) return null;
  const when = moment(run.notBeforeAt, now);
  const distance = until(run.notBeforeAt, now);
  if (run.attemptCount > 0) {
    const which = capital(attemptOf(run.attemptCount + 1, run.attemptsMax));
    return { glyph: 'retry', title: words.retry(distance, when), text: which, action: words.retryNow };
  }
  return {
    glyph: 'due',
    title: words.spread(distance, when),
    text: words.spreadText,
    action: words.startNow,
  };
}

export function PendingBanner({ run, job }: { run: Run; job: Job }) {
  const actions = useJobActions();
  const now = useNowNear(run.notBeforeAt);
  const pending = pendingOf(run, now);
  if (pending === null) return null;
  return (
    <div className="detail-banner">
      <Banner
        kind={pending.glyph === 'retry' ? 'warn' : 'info'}
        icon={<Glyph name={pending.glyph} isDecoration />}
        title={pending.title}
        isQuiet
        actions={
          <Button isSmall onPress={() => actions.startNow(run.id, job.name)}>
            {pending.action}
          </Button>
        }
      >
        {pending.text}
      </Banner>
    </div>
  );
}
