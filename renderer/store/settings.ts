/** Preferences. A change is shown when the engine has kept it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import { defaultSettings, type Settings } from '../../shared/model/settings';
import { type Attention, createRefresher } from './refresh';

export type SettingsState = {
  readonly settings: Settings;
  /** They were read, and are not only what a new Belfry begins with. */
  readonly isKnown: boolean;
  change(part: Partial<Settings>): Promise<Reply<'settings.save'>>;
};

export function createSettingsStore(bridge: Bridge, attention: Attention): StoreApi<SettingsState> {
  const ask = createRefresher(async () => {
    const reply = await bridge.request('settings.get', undefined);
    if (reply.ok) store.setState({ settings: reply.value, isKnown: true });
  }, attention);
  const store: StoreApi<SettingsState> = createStore<SettingsState>((set, get) => ({
    settings: defaultSettings,
    isKnown: false,
    change: async (part) => {
      const reply = await bridge.request('settings.save', { ...get().settings, ...part });
      if (reply.ok) set({ settings: reply.value, isKnown: true });
      return reply;
    },
  }));
  // Another store may lie there now, with settings of its own.
  bridge.subscribe('data.changed', ask);
  ask();
  return store;
}
