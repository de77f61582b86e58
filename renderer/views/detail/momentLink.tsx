/** A moment that can be asked about: pressing it tells why the job ran then, did not, or will. */

import type { Job } from '../../../shared/model/job';
import type { Instant } from '../../../shared/time';
import { fullMoment } from '../../format';
import { useNow, useStores } from '../stores';
import { texts } from './whyTexts';

type MomentLinkProps = { job: Pick<Job, 'id' | 'name'>; at: Instant; text: string };

export function MomentLink({ job, at, text }: MomentLinkProps) {
  const { why } = useStores();
  const now = useNow('minute');
  return (
    <button
      type="button"
      className="moment-link"
      title={texts.why}
      aria-label={texts.askAbout(text, fullMoment(at, now))}
      onClick={() => void why.getState().ask(job.id, job.name, at)}
    >
      {text}
    </button>
  );
}
