/** "What would happen": this engine again, on virtual time and a copy of the jobs. */

import type { WhatIf } from '../../shared/model/whatIf';
import { fail, type Result } from '../../shared/result';
import type { EnginePorts, WhatIfQuery } from './engine';

export const createWhatIf =
  (_ports: EnginePorts) =>
  async (_query: WhatIfQuery): Promise<Result<WhatIf>> =>
    fail('unsupported', 'Belfry cannot look ahead yet.');
