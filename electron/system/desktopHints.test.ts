import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createDesktopHints } from './desktopHints';

class Monitor extends EventEmitter {
  isOnBattery = false;
  idleSeconds = 0;
  isOnBatteryPower(): boolean {
    return this.isOnBattery;
  }
  getSystemIdleTime(): number {
    return this.idleSeconds;
  }
}

const hintsOn = (platform: NodeJS.Platform, env: Record<string, string> = {}, isOnline = true) => {
  const powerMonitor = new Monitor();
  const net = { isOnline: () => isOnline } as Electron.Net;
  return { powerMonitor, hints: createDesktopHints({ powerMonitor, net, platform, env }) };
};

test.each([
  ['X11', { XDG_SESSION_TYPE: 'x11', DISPLAY: ':0' }, 40_000],
  ['X11 that says no more than its display', { DISPLAY: ':0' }, 40_000],
  ['Wayland', { XDG_SESSION_TYPE: 'wayland', WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, null],
  ['Wayland that says no more than its display', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, null],
  ['a terminal', { XDG_SESSION_TYPE: 'tty' }, null],
  ['no session', {}, null],
])('idle time on Linux is believed on X11 alone: %s (electron#34826)', (_, env, expected) => {
  const { hints, powerMonitor } = hintsOn('linux', env);
  powerMonitor.idleSeconds = 40;
  expect(hints.idleMs()).toBe(expected);
});

test.each(['darwin', 'win32'] as const)(
  '%s is believed about power, idle time and having no network',
  (platform) => {
    const { hints, powerMonitor } = hintsOn(platform, {}, false);
    powerMonitor.isOnBattery = true;
    powerMonitor.idleSeconds = 7;
    expect([hints.isOnBattery(), hints.idleMs(), hints.isOffline()]).toEqual([true, 7_000, true]);
    expect(hintsOn(platform).hints.isOffline()).toBe(false);
  },
);

test('Linux is not believed about power, because Electron says "no" for every machine there', () => {
  const { hints } = hintsOn('linux', {}, false);
  expect([hints.isOnBattery(), hints.isOffline()]).toEqual([null, false]);
});

test('tells what each event may have changed, and leaves no listener behind', () => {
  const { hints, powerMonitor } = hintsOn('darwin');
  const told: string[] = [];
  const stop = hints.onChange((change) => told.push(change));
  powerMonitor.emit('on-battery');
  powerMonitor.emit('on-ac');
  expect(told.splice(0)).toEqual(['power', 'power']);
  powerMonitor.emit('unlock-screen');
  expect(told.splice(0)).toEqual(['power', 'network', 'idle']);
  powerMonitor.emit('resume');
  expect(told.splice(0)).toEqual(['power', 'network', 'idle']);
  stop();
  powerMonitor.emit('on-battery');
  expect(told).toEqual([]);
  expect(powerMonitor.eventNames()).toEqual([]);
});
