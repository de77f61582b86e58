/** Talks to fakeDesktop.py: what a user's desktop would be told by the app, and clicks on its tray menu. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { expect, root } from './launch';

type Line = { readonly event: string; readonly [key: string]: unknown };
export type MenuEntry = { readonly id: number; readonly label: string; readonly isEnabled: boolean };

export class Desktop {
  readonly #lines: Line[] = [];
  readonly #process: ChildProcessWithoutNullStreams;

  constructor() {
    // The system's Python by its full path: another one in PATH has no dbus module.
    this.#process = spawn('/usr/bin/python3', [path.join(root, 'e2e', 'fakeDesktop.py')]);
    readline
      .createInterface({ input: this.#process.stdout })
      .on('line', (line) => this.#lines.push(JSON.parse(line) as Line));
  }

  /** Waits for the next line about `event` and takes it. */
  async next(event: string): Promise<Line> {
    await expect.poll(() => this.#lines.some((line) => line.event === event), { message: event }).toBe(true);
    const index = this.#lines.findIndex((line) => line.event === event);
    return this.#lines.splice(index, 1)[0] as Line;
  }

  async menu(): Promise<MenuEntry[]> {
    this.#send({ do: 'menu' });
    const { entries } = (await this.next('menu')) as unknown as { entries: [number, string, boolean][] };
    return entries.map(([id, label, isEnabled]) => ({ id, label, isEnabled }));
  }

  /** Clicks the entry with this label, in a submenu too, once the menu has it. */
  async choose(label: string): Promise<void> {
    await expect.poll(async () => (await this.menu()).map((entry) => entry.label)).toContain(label);
    this.#send({ do: 'choose', label });
    await this.next('chosen');
  }

  /** The tooltip and a fingerprint of the picture of the tray icon now. */
  async tray(): Promise<{ tooltip: string; picture: string }> {
    this.#send({ do: 'tray' });
    return (await this.next('trayNow')) as unknown as { tooltip: string; picture: string };
  }

  stop(): void {
    this.#process.stdin.end();
  }

  #send(order: object): void {
    this.#process.stdin.write(`${JSON.stringify(order)}\n`);
  }
}
