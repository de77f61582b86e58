/** What the machine tells about power, network and its user. What it does not tell is unknown, and never blocks. */

import type { Surroundings } from '../ports/surroundings';

export const createSurroundings = (): Surroundings => ({
  check: async () => ({ state: 'unknown', detail: null }),
  network: () => 'unknown',
  onChange: () => () => undefined,
});
