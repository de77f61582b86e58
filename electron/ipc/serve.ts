/**
 * Answers every request of the contract on one port, be it Electron's or the local socket: checks who asks, then what is
 * asked, then calls the handler. Failures are answers; nothing thrown ever crosses, because it could carry a path or a secret.
 */

import { type Handlers, type RequestName, requests } from '../../shared/ipc/contract';
import { fail, type Result } from '../../shared/result';
import { StoreError } from '../core/storeError';
import { refusalFor } from '../engine/trouble';
import type { Log } from '../ports/world';
import { inputSentence, invalidInput } from './inputMistakes';

/** A way in: each name is registered once and gets every question of that name, with whoever asked it. */
export interface IpcPort<Sender> {
  handle(name: RequestName, answer: (sender: Sender, input: unknown) => Promise<Result<unknown>>): void;
}

export type Service<Sender> = {
  readonly port: IpcPort<Sender>;
  readonly isTrusted: (sender: Sender) => boolean;
  readonly handlers: Handlers;
  readonly log: Log;
  /** In development and tests a handler's own answer is checked too. */
  readonly checksOutput: boolean;
};

export const REFUSED_TEXT = 'This page may not ask Belfry anything.';
export const INTERNAL_TEXT = 'Something went wrong inside Belfry. The details are in its log.';

/** Registers exactly the requests of the contract. */
export function serve<Sender>({ port, isTrusted, handlers, log, checksOutput }: Service<Sender>): void {
  for (const name of Object.keys(requests) as RequestName[]) {
    const { input: schema, output } = requests[name];
    const handler = handlers[name] as (input: unknown) => Promise<Result<unknown>>;
    port.handle(name, async (sender, input) => {
      try {
        if (!isTrusted(sender)) {
          log.warn('ipc.refused', { request: name });
          return fail('unavailable', REFUSED_TEXT);
        }
        const parsed = schema.safeParse(input, { error: inputSentence });
        if (!parsed.success) return { ok: false, error: invalidInput(parsed.error.issues) };
        const reply = await handler(parsed.data);
        if (checksOutput && reply.ok) output.parse(reply.value);
        return reply;
      } catch (error) {
        log.error('ipc.failed', { request: name, error });
        // What the disk does to a question is told as it is told of a change.
        if (error instanceof StoreError) return fail('unavailable', refusalFor(error));
        return fail('internal', INTERNAL_TEXT);
      }
    });
  }
}
