/** Preferences. A change is shown when the engine has kept it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import { defaultSettings, type Settings } from '../../shared/model/settings';

export type SettingsState = {
  readonly settings: Settings;
  change(part: Partial<Settings>): Promise<Reply<'settings.save'>>;
};

export function createSettingsStore(bridge: Bridge): StoreApi<SettingsState> {
  const store: StoreApi<SettingsState> = createStore<SettingsState>((set, get) => ({
    settings: defaultSettings,
    change: async (part) => {
      const reply = await bridge.request('settings.save', { ...get().settings, ...part });
      if (reply.ok) set({ settings: reply.value });
      return reply;
    },
  }));
  void bridge.request('settings.get', undefined).then((reply) => {
    if (reply.ok) store.setState({ settings: reply.value });
  });
  return store;
}
