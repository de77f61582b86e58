/** Conditions and dates as they stand in the editor, with the fields of every kind of condition. */
import { type CommandSettings, emptyCommandSettings } from '../../shared/kinds/command';
import { type Condition, type ConditionKind, NETWORK_WAIT_MS_DEFAULT } from '../../shared/model/condition';
import type { Dates } from '../../shared/model/dates';
import { newKey } from './formKeys';
import type { NumberReader } from './numberForm';
import { emptySpan, type SpanForm, writeSpan } from './spanForm';

export type ConditionForm = {
  readonly key: number;
  readonly kind: ConditionKind;
  readonly percent: string;
  readonly host: string;
  readonly port: string;
  readonly idle: SpanForm;
  readonly settings: CommandSettings;
  readonly wait: SpanForm;
  readonly otherwise: Condition['otherwise'];
};

/** Empty fields stand for no date. An excluded day without an end is a single one. */
export type DatesForm = {
  readonly from: string;
  readonly until: string;
  readonly excluded: readonly ExcludedForm[];
};
export type ExcludedForm = { readonly key: number; readonly from: string; readonly until: string };

const isAboutNetwork = (kind: ConditionKind): boolean => kind === 'network' || kind === 'host_answers';

/** A condition as it is added: the network comes back soon, everything else takes its time. */
export const emptyCondition = (kind: ConditionKind): ConditionForm => ({
  key: newKey(),
  kind,
  percent: '30',
  host: '',
  port: '443',
  idle: emptySpan('5', 'minutes'),
  settings: emptyCommandSettings,
  wait: isAboutNetwork(kind) ? writeSpan(NETWORK_WAIT_MS_DEFAULT) : emptySpan('2', 'hours'),
  otherwise: 'skip',
});

export const emptyDates = (): DatesForm => ({ from: '', until: '', excluded: [] });

export const emptyExcluded = (): ExcludedForm => ({ key: newKey(), from: '', until: '' });

/** The form of a condition that a job has. */
export function conditionForm(condition: Condition): ConditionForm {
  const { kind, waitMsMax, otherwise } = condition;
  const form: ConditionForm = { ...emptyCondition(kind), wait: writeSpan(waitMsMax), otherwise };
  switch (condition.kind) {
    case 'mains':
    case 'network':
      return form;
    case 'battery_above':
      return { ...form, percent: String(condition.percent) };
    case 'host_answers':
      return { ...form, host: condition.host, port: String(condition.port) };
    case 'user_idle':
      return { ...form, idle: writeSpan(condition.idleMs) };
    case 'check_command':
      return { ...form, settings: condition.settings };
  }
}

/** The condition of a draft; `path` is where it stands in it. */
export function readCondition(form: ConditionForm, read: NumberReader, path: string): Condition {
  const { kind, otherwise } = form;
  const patience = { waitMsMax: read.span(form.wait, `${path}.waitMsMax`), otherwise };
  switch (kind) {
    case 'mains':
    case 'network':
      return { kind, ...patience };
    case 'battery_above':
      return { kind, percent: read.whole(form.percent, `${path}.percent`), ...patience };
    case 'host_answers':
      return { kind, host: form.host, port: read.whole(form.port, `${path}.port`), ...patience };
    case 'user_idle':
      return { kind, idleMs: read.span(form.idle, `${path}.idleMs`), ...patience };
    case 'check_command':
      return { kind, settings: form.settings, ...patience };
  }
}

/** The form of the dates that a job has. */
export const datesForm = ({ from, until, excluded }: Dates): DatesForm => ({
  from: from ?? '',
  until: until ?? '',
  excluded: excluded.map((range) => ({
    key: newKey(),
    from: range.from,
    until: range.until === range.from ? '' : range.until,
  })),
});

const dateOrNone = (text: string): string | null => (text.trim() === '' ? null : text.trim());

export const readDates = ({ from, until, excluded }: DatesForm): Dates => ({
  from: dateOrNone(from),
  until: dateOrNone(until),
  excluded: excluded.map((range) => ({
    from: range.from.trim(),
    until: dateOrNone(range.until) ?? range.from.trim(),
  })),
});
