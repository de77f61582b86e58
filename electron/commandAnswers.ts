/** What the commands of `belfry` share: how they answer, refuse, and find the job that a person named. */

import type { Reply, RequestName } from '../shared/ipc/contract';
import type { JobRow } from '../shared/model/job';
import type { SocketClient } from './ipc/socketClient';

export const EXIT = { done: 0, refused: 1, usage: 2, notRunning: 3 } as const;

/** A sentence for the person and the exit code that goes with it. */
export class Refusal extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a command answers: the value for `--json`, and its words. */
export type Answer = { readonly value: unknown; readonly text: string };

/** What stood behind each `--name=`, in the order given. */
export type Options = Readonly<Record<string, readonly string[]>>;

export function need<N extends RequestName>(reply: Reply<N>): Extract<Reply<N>, { ok: true }>['value'] {
  if (!reply.ok) throw new Refusal(reply.error.message);
  return (reply as Extract<Reply<N>, { ok: true }>).value;
}

/** The job with exactly this name, or the only one whose id begins so. */
export async function findJob(client: SocketClient, wanted: string): Promise<JobRow> {
  const rows = need(await client.request('jobs.list', undefined));
  const named = rows.filter(({ name }) => name === wanted);
  const found = named.length > 0 ? named : rows.filter(({ id }) => id.startsWith(wanted));
  const [only, ...others] = found;
  if (only === undefined) throw new Refusal(`There is no job “${wanted}”.`);
  if (others.length > 0)
    throw new Refusal(`“${wanted}” means several jobs:\n${found.map(jobText).join('\n')}`);
  return only;
}

export const jobText = ({ id, name, isEnabled, state, scheduleShort }: JobRow): string =>
  [id, isEnabled ? state : 'off', name, scheduleShort].join('  ');
