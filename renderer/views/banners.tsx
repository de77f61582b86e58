/**
 * What concerns many jobs, above the content. The most severe only: Belfry cannot save, another process runs the jobs, they are
 * paused, they were asleep meanwhile. The first two are shown on every screen, the rest beside the list.
 */
import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SchedulerStatus } from '../../shared/model/settings';
import { clockTime } from '../format';
import { useSelected } from '../store/select';
import { Banner } from '../ui/banner';
import { Button } from '../ui/button';
import { Icon, PauseIcon } from '../ui/icon';
import { texts as dataTexts } from './data/texts';
import { GapBanner, useNewGap } from './gapBanner';
import { usePauseActions } from './pauseActions';
import { PauseBanner } from './pauseBanner';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.banners;

export function Banners() {
  return <GlobalBanner otherwise={<ListBanner />} />;
}

/** What has to be known on every screen, or else what `otherwise` has to say. */
export function GlobalBanner({ otherwise = null }: { otherwise?: ReactNode }) {
  const { status } = useStores();
  const now = useSelected(status, (state) => state.status);
  const failure = useSelected(status, (state) => state.failure);
  if (failure !== null) {
    return (
      <Banner
        kind="warn"
        icon={<Icon of={CircleAlert} />}
        title={words.statusFailed}
        actions={
          <Button isSmall onPress={() => status.getState().refresh()}>
            {texts.app.tryAgain}
          </Button>
        }
      >
        {words.statusFailedDetail}
      </Banner>
    );
  }
  if (now !== null && now.problem !== null) return <TroubleBanner problem={now.problem} />;
  return now?.state === 'standby' ? <StandbyBanner status={now} /> : otherwise;
}

/** The first sentence says what is wrong, and the others what follows from it. */
function TroubleBanner({ problem }: { problem: string }) {
  const { place } = useStores();
  const [title = problem] = /^.*?[.!?](?=\s|$)/.exec(problem) ?? [];
  return (
    <Banner
      kind="fail"
      icon={<Icon of={CircleAlert} />}
      title={title}
      actions={
        <Button isSmall onPress={() => place.getState().change({ question: { ask: 'data' } })}>
          {dataTexts.open}
        </Button>
      }
    >
      {problem.slice(title.length).trim()}
    </Banner>
  );
}

function StandbyBanner({ status: { holder, runningCount } }: { status: SchedulerStatus }) {
  const { place } = useStores();
  const title = holder === null ? words.standbyUnknown : words.standby(holder.pid, clockTime(holder.since));
  const pid = holder?.pid ?? null;
  return (
    <Banner
      kind="info"
      icon={<Icon of={Info} />}
      title={title}
      actions={
        <Button
          isSmall
          onPress={() => place.getState().change({ question: { ask: 'take_over', pid, runningCount } })}
        >
          {dataTexts.takeOver.open}
        </Button>
      }
    >
      {words.standbyDetail}
    </Banner>
  );
}

function ListBanner() {
  const { status, pauses: pausesStore } = useStores();
  const pauses = useSelected(pausesStore, (state) => state.pauses);
  const isPaused = useSelected(status, (state) => state.status?.state === 'paused');
  const gap = useNewGap();
  const ofAll = pauses.filter(({ scope }) => scope.kind === 'all');
  if (ofAll.length > 0) return <PauseBanner pauses={ofAll} />;
  if (isPaused) return <PausedBanner />;
  const ofTags = pauses.filter(({ scope }) => scope.kind === 'tag');
  if (ofTags.length > 0) return <PauseBanner pauses={ofTags} />;
  return gap === null ? null : <GapBanner gap={gap} />;
}

/** The engine says that it is paused, and does not tell by what. */
function PausedBanner() {
  const actions = usePauseActions();
  return (
    <Banner
      kind="info"
      icon={<Icon of={PauseIcon} />}
      title={words.paused}
      actions={
        <Button isSmall onPress={() => void actions.resumeAll()}>
          {words.resume}
        </Button>
      }
    >
      {words.pausedDetail}
    </Banner>
  );
}
