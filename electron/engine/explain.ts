/** "Why didn't it run?" from the ledger, the revisions, the pauses and the gaps. */

import type { Explanation } from '../../shared/model/explanation';
import type { JobId } from '../../shared/model/job';
import { fail, type Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { Store } from '../ports/store';
import type { Clock, Host } from '../ports/world';
import type { Agenda } from './agenda';

export type ExplainPorts = {
  readonly clock: Clock;
  readonly host: Host;
  readonly store: Store;
  readonly agenda: () => Agenda | null;
};

export const createExplain =
  (_ports: ExplainPorts) =>
  async (_jobId: JobId, _at: Instant): Promise<Result<Explanation>> =>
    fail('unsupported', 'Belfry cannot explain this yet.');
