/** What concerns many jobs, above the content: run by another process, paused, asleep meanwhile. The most severe only. */
import { CircleAlert, Info } from 'lucide-react';
import { clockTime } from '../format';
import { useSelected } from '../store/select';
import { Banner } from '../ui/banner';
import { Button } from '../ui/button';
import { Icon, PauseIcon } from '../ui/icon';
import { GapBanner, useNewGap } from './gapBanner';
import { usePauseActions } from './pauseActions';
import { PauseBanner } from './pauseBanner';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.banners;

export function Banners() {
  const { status, pauses: pausesStore } = useStores();
  const pauses = useSelected(pausesStore, (state) => state.pauses);
  const gap = useNewGap();
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
  if (now?.state === 'standby') {
    const { holder } = now;
    const title = holder === null ? words.standbyUnknown : words.standby(holder.pid, clockTime(holder.since));
    return (
      <Banner kind="info" icon={<Icon of={Info} />} title={title}>
        {words.standbyDetail}
      </Banner>
    );
  }
  const ofAll = pauses.filter(({ scope }) => scope.kind === 'all');
  if (ofAll.length > 0) return <PauseBanner pauses={ofAll} />;
  if (now?.state === 'paused') return <PausedBanner />;
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
