/**
 * What every adapter behind the Store port has to do, whatever it is built on (D2). A test file calls `storeContract` with
 * a way to open an empty store.
 */

import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../ports/store';
import { findRunContract } from './findRuns.contract';
import { jobContract } from './jobs.contract';
import { ledgerContract } from './ledger.contract';
import { owedContract } from './owed.contract';
import { pauseContract } from './pauses.contract';
import { retentionContract } from './retention.contract';
import { runContract } from './runs.contract';
import { scheduleContract } from './schedules.contract';
import { settingContract } from './settings.contract';
import { transactionContract } from './transactions.contract';
import { waitingRunContract } from './waitingRuns.contract';

export function storeContract(name: string, openStore: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    const current = (): Store => store;
    beforeEach(async () => {
      store = await openStore();
    });
    afterEach(() => store.close());
    jobContract(current);
    scheduleContract(current);
    owedContract(current);
    ledgerContract(current);
    runContract(current);
    findRunContract(current);
    retentionContract(current);
    waitingRunContract(current);
    pauseContract(current);
    settingContract(current);
    transactionContract(current);
  });
}
