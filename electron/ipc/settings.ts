/** Requests for preferences. A saved theme takes effect at once, in the window and in the frame around it. */

import type { Handlers } from '../../shared/ipc/contract';
import type { Settings } from '../../shared/model/settings';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';

type SettingsHandlers = Pick<Handlers, 'settings.get' | 'settings.save'>;

export const settingsHandlers = (
  engine: Engine,
  applySettings: (settings: Settings) => void,
): SettingsHandlers => ({
  'settings.get': async () => ok(await engine.settings()),
  'settings.save': async (settings) => {
    const saved = await engine.saveSettings(settings);
    applySettings(saved);
    return ok(saved);
  },
});
