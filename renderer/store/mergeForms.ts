/**
 * What becomes of a form when its job was changed elsewhere: each field that only one side changed is taken from that side,
 * and what both changed stays as it is here and is named, for a person to decide.
 */
import type { JobForm } from './jobForm';
import type { ScheduleForm } from './scheduleForm';

/** Names of fields as in `Mistakes`: `name`, `settings.line`, `schedules`. */
export type FieldPath = string;

type Fields = Readonly<Record<FieldPath, unknown>>;

const fieldsOf = ({ settings, aside: _aside, ...form }: JobForm): Fields => ({
  ...form,
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`settings.${name}`, value])),
});

/** Keys only tell schedules apart on the screen. */
const withoutKeys = (value: unknown): string =>
  JSON.stringify(value, (name, part: unknown) => (name === 'key' ? undefined : part));

const isSame = (one: unknown, other: unknown): boolean => withoutKeys(one) === withoutKeys(other);

/** `form` with these fields taken from `source`. */
export function takeFields(form: JobForm, source: JobForm, paths: readonly FieldPath[]): JobForm {
  const values = fieldsOf(source);
  let taken: Record<string, unknown> = { ...form };
  for (const path of paths) {
    const setting = /^settings\.(.+)$/.exec(path)?.[1];
    taken =
      setting === undefined
        ? { ...taken, [path]: values[path] }
        : { ...taken, settings: { ...(taken.settings as object), [setting]: values[path] } };
  }
  return taken as JobForm;
}

/** The other form with the keys that its schedules have here, so that what is on the screen stays there. */
function withKeysOf(theirs: JobForm, base: JobForm): JobForm {
  const keyOf = ({ id, key }: ScheduleForm): number =>
    base.schedules.find((one) => id !== null && one.id === id)?.key ?? key;
  return { ...theirs, schedules: theirs.schedules.map((one) => ({ ...one, key: keyOf(one) })) };
}

export type Merged = {
  readonly form: JobForm;
  /** What the job is now, as the form to compare with. */
  readonly initial: JobForm;
  /** Changed elsewhere, and taken over. */
  readonly taken: readonly FieldPath[];
  /** Changed both here and elsewhere. */
  readonly clashes: readonly FieldPath[];
};

/** `base` is what both sides started from. */
export function mergeForms(base: JobForm, mine: JobForm, theirs: JobForm): Merged {
  const initial = withKeysOf(theirs, base);
  const [was, here, there] = [fieldsOf(base), fieldsOf(mine), fieldsOf(initial)];
  const changed = Object.keys(there).filter(
    (path) => !isSame(was[path], there[path]) && !isSame(here[path], there[path]),
  );
  const taken = changed.filter((path) => isSame(was[path], here[path]));
  const clashes = changed.filter((path) => !taken.includes(path));
  return { form: takeFields(mine, initial, taken), initial, taken, clashes };
}
