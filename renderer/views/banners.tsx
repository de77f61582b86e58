/** What concerns every job, above the content: paused, run by another process. The most severe one only. */
import { CircleAlert, Info } from 'lucide-react';
import { clockTime } from '../format';
import { useSelected } from '../store/select';
import { Banner } from '../ui/banner';
import { Button } from '../ui/button';
import { Icon, PauseIcon } from '../ui/icon';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.banners;

export function Banners() {
  const { status, notices } = useStores();
  const now = useSelected(status, (state) => state.status);
  const failure = useSelected(status, (state) => state.failure);
  const resume = async (): Promise<void> => {
    const reply = await status.getState().setPaused(false);
    if (!reply.ok) notices.getState().show(reply.error.message);
  };
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
  if (now?.state === 'paused') {
    return (
      <Banner
        kind="info"
        icon={<Icon of={PauseIcon} />}
        title={words.paused}
        actions={
          <Button isSmall onPress={() => void resume()}>
            {words.resume}
          </Button>
        }
      >
        {words.pausedDetail}
      </Banner>
    );
  }
  return null;
}
