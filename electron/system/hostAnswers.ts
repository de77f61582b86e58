/**
 * Whether a host answers: a TCP connection can be made within the limit. Only the system's own resolver is asked for names,
 * because a VPN or `.local` is known to it alone.
 */
import dns from 'node:dns';
import net from 'node:net';
import type { Timer } from '../ports/world';

export const ANSWER_MS_MAX = 5_000;

export type HostAnswer =
  | { readonly isAnswering: true }
  /** `why` is a few words with the host in it. */
  | { readonly isAnswering: false; readonly why: string };

export type HostQuestion = { readonly host: string; readonly port: number };

export type AskHost = (question: HostQuestion, signal: AbortSignal) => Promise<HostAnswer>;

export type AskHostPorts = {
  readonly timer: Timer;
  readonly lookUp?: (host: string) => Promise<dns.LookupAddress[]>;
  readonly limitMs?: number;
};

const systemLookUp = (host: string): Promise<dns.LookupAddress[]> => dns.promises.lookup(host, { all: true });

/** The answer never rejects and comes within the limit; no socket is left open behind it. */
export function createAskHost({
  timer,
  lookUp = systemLookUp,
  limitMs = ANSWER_MS_MAX,
}: AskHostPorts): AskHost {
  // A look-up cannot be called off, and a dead resolver takes long to give up. One for a name, however often it is asked,
  // keeps the others from queueing behind it.
  const underWay = new Map<string, Promise<dns.LookupAddress[]>>();
  const lookUpOnce = (host: string): Promise<dns.LookupAddress[]> => {
    const known = underWay.get(host);
    if (known !== undefined) return known;
    const started = lookUp(host).finally(() => underWay.delete(host));
    underWay.set(host, started);
    return started;
  };

  return ({ host, port }, signal) =>
    new Promise((resolve) => {
      const name = host.replace(/^\[(.*)\]$/, '$1');
      const lookup: net.LookupFunction = (wanted, _options, answer) => {
        lookUpOnce(wanted).then(
          (addresses) => answer(null, addresses),
          (error: NodeJS.ErrnoException) => answer(error, []),
        );
      };
      const socket = new net.Socket();
      const end = (found: HostAnswer): void => {
        callOff();
        signal.removeEventListener('abort', abort);
        socket.destroy();
        resolve(found);
      };
      const no = (why: string): void => end({ isAnswering: false, why });
      const abort = (): void => no('not waited for');
      const callOff = timer.after(limitMs, () =>
        no(`${host} did not answer on port ${port} within ${Math.ceil(limitMs / 1_000)} s`),
      );
      signal.addEventListener('abort', abort, { once: true });
      // Stays for good: a socket that is destroyed may still report.
      socket.on('error', (error) => no(explain(error, { host, port })));
      socket.once('connect', () => end({ isAnswering: true }));
      if (signal.aborted) return abort();
      try {
        socket.connect({ host: name, port, lookup, autoSelectFamily: true });
      } catch (error) {
        no(explain(error, { host, port }));
      }
    });
}

function explain(error: unknown, { host, port }: HostQuestion): string {
  // With several addresses, all of them failed, each in its own way.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = first instanceof Error && 'code' in first ? String(first.code) : 'no reason';
  switch (code) {
    case 'ENOTFOUND':
      return `the name ${host} is not known`;
    case 'EAI_AGAIN':
      return `the name ${host} cannot be looked up now`;
    case 'ECONNREFUSED':
      return `${host} refuses connections on port ${port}`;
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return `there is no way to ${host}`;
    default:
      return `${host} cannot be reached on port ${port} (${code})`;
  }
}
