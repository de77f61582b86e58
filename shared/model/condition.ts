/**
 * What must be so before a planned run starts, how long it may be waited for, and what happens then. A run that a person
 * starts waits for nothing. What cannot be found out never holds a run up; the run says that it was unknown.
 */
import { z } from 'zod';
import { CommandSettings } from '../kinds/command';
import { DAY_MS, Instant, MINUTE_MS, SECOND_MS } from '../time';

export const CONDITIONS_MAX = 8;
/** How long to wait for the network unless the user says otherwise (product.md, complaint 11). */
export const NETWORK_WAIT_MS_DEFAULT = 3 * MINUTE_MS;

const WAIT_TEXT = 'Use 0 seconds to 7 days.';
const PERCENT_TEXT = 'Use 1 to 99 percent.';
const IDLE_TEXT = 'Use 10 seconds to 24 hours.';
const HOST_TEXT = 'Type the name or address of a host.';
const PORT_TEXT = 'Use a port from 1 to 65535.';

const patience = {
  /** Milliseconds awake; time asleep does not count. 0 looks once. */
  waitMsMax: z
    .number(WAIT_TEXT)
    .int(WAIT_TEXT)
    .min(0, WAIT_TEXT)
    .max(7 * DAY_MS, WAIT_TEXT),
  /** What happens when the wait is over and the condition is still not met. */
  otherwise: z.enum(['run', 'skip', 'fail']),
};

export const Condition = z.discriminatedUnion('kind', [
  /** The laptop is plugged in. */
  z.strictObject({ kind: z.literal('mains'), ...patience }),
  /** The laptop's battery holds more than `percent`, or it is plugged in. */
  z.strictObject({
    kind: z.literal('battery_above'),
    percent: z.number(PERCENT_TEXT).int(PERCENT_TEXT).min(1, PERCENT_TEXT).max(99, PERCENT_TEXT),
    ...patience,
  }),
  /** There is a network that is not the machine itself. */
  z.strictObject({ kind: z.literal('network'), ...patience }),
  /** A TCP connection to the host and port can be made. */
  z.strictObject({
    kind: z.literal('host_answers'),
    host: z
      .string()
      .trim()
      .min(1, HOST_TEXT)
      .max(253, HOST_TEXT)
      .regex(/^[^\s/\\@]+$/, HOST_TEXT),
    port: z.number(PORT_TEXT).int(PORT_TEXT).min(1, PORT_TEXT).max(65_535, PORT_TEXT),
    ...patience,
  }),
  /** Nobody has touched keyboard or mouse for `idleMs`. */
  z.strictObject({
    kind: z.literal('user_idle'),
    idleMs: z
      .number(IDLE_TEXT)
      .int(IDLE_TEXT)
      .min(10 * SECOND_MS, IDLE_TEXT)
      .max(DAY_MS, IDLE_TEXT),
    ...patience,
  }),
  /** The user's own command ends with exit code 0. It has 30 seconds, and is asked at most every 10. */
  z.strictObject({ kind: z.literal('check_command'), settings: CommandSettings, ...patience }),
]);
export type Condition = z.output<typeof Condition>;
export type ConditionKind = Condition['kind'];

/** `unknown`: this system cannot tell. It counts as met and is shown as unknown (product.md 3.2, item 3). */
export const ConditionState = z.enum(['met', 'unmet', 'unknown']);
export type ConditionState = z.output<typeof ConditionState>;

/** One wait of a run for one condition. `endedAt` is null while it goes on. */
export const Wait = z.strictObject({
  kind: z.enum(['mains', 'battery_above', 'network', 'host_answers', 'user_idle', 'check_command']),
  /** For example the host that did not answer. */
  detail: z.string().max(300).nullable(),
  since: Instant,
  /** When the wait is given up, as far as that can be told now: sleep in between moves it. */
  until: Instant,
  otherwise: z.enum(['run', 'skip', 'fail']),
  endedAt: Instant.nullable(),
  /** `by_hand`: a person said to run anyway. `unknown`: there was nothing to wait for, because nobody could tell. */
  end: z.enum(['met', 'gave_up', 'by_hand', 'unknown']).nullable(),
});
export type Wait = z.output<typeof Wait>;
