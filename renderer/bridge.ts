/** The bridge that the preload script put on the window. A call that is refused outright is a failure like any other. */
import type { Bridge } from '../shared/ipc/contract';
import { fail } from '../shared/result';

declare global {
  interface Window {
    readonly belfry: Bridge;
  }
}

/** Never rejects: whatever goes wrong on the way is answered as `internal`. */
export const createBridge = (raw: Bridge): Bridge => ({
  request: async (name, input) => {
    try {
      return await raw.request(name, input);
    } catch {
      return fail('internal', 'Belfry did not answer. Try again.');
    }
  },
  subscribe: (name, listener) => raw.subscribe(name, listener),
});
