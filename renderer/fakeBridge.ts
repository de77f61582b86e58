/**
 * A bridge without an engine, for tests and for looking at the window: it remembers what was asked, passes on what is
 * announced, and answers as scripted. What is not scripted goes to the handlers it was made with.
 */
import type { Bridge, EventName, Handlers, Input, Payload, Reply, RequestName } from '../shared/ipc/contract';

type Answer<N extends RequestName> = (input: Input<N>) => Reply<N> | Promise<Reply<N>>;
type Listener = (payload: never) => void;

export class FakeBridge implements Bridge {
  /** Every request so far, oldest first. */
  readonly calls: { readonly name: RequestName; readonly input: unknown }[] = [];
  readonly #handlers: Handlers;
  readonly #scripts = new Map<RequestName, Answer<RequestName>>();
  readonly #listeners = new Map<EventName, Set<Listener>>();

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  async request<N extends RequestName>(name: N, input: Input<N>): Promise<Reply<N>> {
    this.calls.push({ name, input });
    const scripted = this.#scripts.get(name) as Answer<N> | undefined;
    if (scripted !== undefined) return scripted(input);
    const handler = this.#handlers[name] as unknown as (input: Input<N>) => Promise<Reply<N>>;
    return handler(input);
  }

  subscribe<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void {
    const known = this.#listeners.get(name) ?? new Set<Listener>();
    this.#listeners.set(name, known.add(listener));
    return () => known.delete(listener);
  }

  /** From now on this name is answered so; with null by its handler again. */
  script<N extends RequestName>(name: N, answer: Answer<N> | null): void {
    if (answer === null) this.#scripts.delete(name);
    else this.#scripts.set(name, answer as unknown as Answer<RequestName>);
  }

  announce<N extends EventName>(name: N, payload: Payload<N>): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(payload as never);
  }

  /** The inputs of every request of this name so far. */
  inputsOf<N extends RequestName>(name: N): Input<N>[] {
    return this.calls.filter((call) => call.name === name).map((call) => call.input as Input<N>);
  }
}
