/**
 * What Electron adds to what plain Node can find out: idle time, and on Windows and macOS the power source and its events. Where
 * Electron answers for a system that does not tell, its answer is left out instead of being believed.
 */
import type { Net, PowerMonitor } from 'electron';
import type { MachineHints } from './surroundings';

export type DesktopParts = {
  readonly powerMonitor: Pick<PowerMonitor, 'isOnBatteryPower' | 'getSystemIdleTime'> & {
    on(event: 'on-ac' | 'on-battery' | 'resume' | 'unlock-screen', listener: () => void): unknown;
    off(event: 'on-ac' | 'on-battery' | 'resume' | 'unlock-screen', listener: () => void): unknown;
  };
  readonly net: Pick<Net, 'isOnline'>;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** Electron must be ready when anything is asked. */
export function createDesktopHints({ powerMonitor, net, platform, env }: DesktopParts): MachineHints {
  const isLinux = platform === 'linux';
  return {
    // On Linux it says no for every machine, and tells no events.
    isOnBattery: () => (isLinux ? null : powerMonitor.isOnBatteryPower()),
    // On Wayland it is 0, or the time since an X11 program was used last (electron/electron#34826).
    idleMs: () =>
      isLinux && !isX11(env) ? null : Math.max(0, Math.round(powerMonitor.getSystemIdleTime() * 1_000)),
    // Only its no is worth something, and Linux tells more itself.
    isOffline: () => !isLinux && !net.isOnline(),
    onChange: (listener) => {
      const power = (): void => listener('power');
      const all = (): void => {
        for (const change of ['power', 'network', 'idle'] as const) listener(change);
      };
      const wanted = [
        ['on-ac', power],
        ['on-battery', power],
        ['resume', all],
        ['unlock-screen', all],
      ] as const;
      for (const [event, tell] of wanted) powerMonitor.on(event, tell);
      return () => {
        for (const [event, tell] of wanted) powerMonitor.off(event, tell);
      };
    },
  };
}

/** Whether the user's session is certainly one of X11: Xwayland sets DISPLAY too. */
function isX11(env: DesktopParts['env']): boolean {
  if (env.WAYLAND_DISPLAY) return false;
  const session = env.XDG_SESSION_TYPE;
  return session ? session === 'x11' : Boolean(env.DISPLAY);
}
