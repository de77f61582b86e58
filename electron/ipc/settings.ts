/** Requests for preferences. A saved theme takes effect at once, in the window and in the frame around it. */

import type { Handlers } from '../../shared/ipc/contract';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { WindowSide } from './window';

type SettingsHandlers = Pick<Handlers, 'settings.get' | 'settings.save'>;

/** `side` is null for a process without windows. */
export const settingsHandlers = (engine: Engine, side: WindowSide | null): SettingsHandlers => ({
  'settings.get': async () => ok(await engine.settings()),
  'settings.save': async (settings) => {
    const saved = await engine.saveSettings(settings);
    side?.applySettings(saved);
    return ok(saved);
  },
});
