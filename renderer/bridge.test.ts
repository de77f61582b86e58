import { expect, test } from 'vitest';
import type { Bridge } from '../shared/ipc/contract';
import { createBridge } from './bridge';

test('a call that is refused outright is answered as a failure', async () => {
  const raw: Bridge = {
    request: () => Promise.reject(new Error('/private/path: no handler')),
    subscribe: () => () => undefined,
  };
  const reply = await createBridge(raw).request('jobs.list', undefined);
  expect(reply).toEqual({
    ok: false,
    error: { code: 'internal', message: 'Belfry did not answer. Try again.' },
  });
});
