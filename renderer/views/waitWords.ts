/** Sentences about runs that wait for a condition: for what, since when, until when, and what happens then. */
import type { Condition, Wait } from '../../shared/model/condition';
import type { Instant } from '../../shared/time';
import { duration, moment } from '../format';

const NAMES: Readonly<Record<Wait['kind'], string>> = {
  mains: 'mains power',
  battery_above: 'the battery',
  network: 'the network',
  host_answers: 'a host',
  user_idle: 'a quiet moment',
  check_command: 'its check',
};

const SHORT_NAMES: Readonly<Record<Wait['kind'], string>> = {
  ...NAMES,
  mains: 'mains',
  network: 'network',
  battery_above: 'battery',
  host_answers: 'host',
  user_idle: 'idle',
};

/** `mains power`, `nas.local`: what is waited for. */
export const waitedFor = ({ kind, detail }: Pick<Wait, 'kind' | 'detail'>): string =>
  kind === 'host_answers' && detail !== null ? detail : NAMES[kind];

/** `waits for mains`, for a column. */
export const waitWord = ({ kind }: Wait): string => `waits for ${SHORT_NAMES[kind]}`;

const THEN: Readonly<Record<Condition['otherwise'], string>> = {
  run: 'runs anyway',
  skip: 'gives up',
  fail: 'fails',
};

/** `waiting for mains power since 21:00, gives up 23:00`. */
export const waitSentence = (wait: Wait, now: Instant): string =>
  `waiting for ${waitedFor(wait)} since ${moment(wait.since, now)}, ${THEN[wait.otherwise]} ${moment(wait.until, now)}`;

const ENDS: Readonly<Record<NonNullable<Wait['end']>, string>> = {
  met: 'it came',
  gave_up: 'it did not come in time',
  by_hand: 'you said to run anyway',
  unknown: 'this system cannot tell, so it did not wait',
};

/** `Waited 1 h 10 min for mains power: it came.` */
export function waitedSentence(wait: Wait, now: Instant): string {
  const { since, endedAt, end } = wait;
  if (endedAt === null || end === null) {
    const sentence = waitSentence(wait, now);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  }
  if (end === 'unknown') return `Looked for ${waitedFor(wait)}: ${ENDS.unknown}.`;
  return `Waited ${duration(endedAt - since)} for ${waitedFor(wait)}: ${ENDS[end]}.`;
}
