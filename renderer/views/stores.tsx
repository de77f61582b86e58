/** The one context that hands the stores to the views, and how views read the present moment. */
import { createContext, type ReactNode, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Instant } from '../../shared/time';
import { MINUTE_MS } from '../../shared/time';
import type { Pace } from '../store/clock';
import type { Stores } from '../store/stores';

const StoresContext = createContext<Stores | null>(null);

export function StoresProvider({ stores, children }: { stores: Stores; children: ReactNode }) {
  return <StoresContext value={stores}>{children}</StoresContext>;
}

export function useStores(): Stores {
  const stores = useContext(StoresContext);
  if (stores === null) throw new Error('StoresProvider is missing above this view');
  return stores;
}

/** The present moment, renewed at this pace while the view is on screen. */
export function useNow(pace: Pace): Instant {
  const { clock } = useStores();
  // The same function in each render: a new one would be subscribed anew, and the first subscriber renews the moment,
  // so a view that is alone in reading it would render for ever.
  const subscribe = useCallback((listener: () => void) => clock.subscribe(pace, listener), [clock, pace]);
  return useSyncExternalStore(subscribe, () => clock.read(pace));
}

/** Seconds tick only for what is about to happen or has just begun; everything else waits for the minute. */
export function useNowNear(at: Instant | null): Instant {
  const { clock } = useStores();
  const isNear = at !== null && Math.abs(at - clock.read('minute')) < 2 * MINUTE_MS;
  return useNow(isNear ? 'second' : 'minute');
}
