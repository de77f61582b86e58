/** The settings of a kind, drawn from its description: a new kind brings its fields along and needs no form code. */
import { FolderOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Field, FormDescription } from '../../../shared/fields';
import { Button } from '../../ui/button';
import { Segmented } from '../../ui/segmented';
import { Switch } from '../../ui/switch';
import { TextField } from '../../ui/textField';
import { useStores } from '../stores';
import { useField, useSettings } from './fields';
import { ArgumentRows, VariableRows } from './rowFields';
import { texts } from './texts';

/** Text areas begin at this many rows. */
const CODE_ROWS = 3;

type KindFieldsProps = {
  form: FormDescription;
  /** What stands under a field, for example what was found out about a command. */
  notes?: Readonly<Record<string, ReactNode>>;
};

export function KindFields({ form, notes = {} }: KindFieldsProps) {
  const [values] = useSettings();
  const visible = form.fields.filter(
    ({ visibleWhen }) => visibleWhen === undefined || values[visibleWhen.path] === visibleWhen.equals,
  );
  return visible.map((field) => <KindField key={field.path} field={field} note={notes[field.path]} />);
}

type KindFieldProps = { field: Field; note: ReactNode };

function KindField({ field, note }: KindFieldProps) {
  const [values, change] = useSettings();
  const value = values[field.path];
  switch (field.control) {
    case 'choice':
      return (
        <Segmented
          label={field.label}
          value={String(value)}
          options={(field.choices ?? []).map((choice) => ({ id: choice.value, label: choice.label }))}
          onChange={(id) => change(field.path, id)}
        />
      );
    case 'switch':
      return (
        <Switch
          label={field.label}
          isLabelVisible
          isOn={value === true}
          onChange={(isOn) => change(field.path, isOn)}
        />
      );
    case 'lines':
      return <ArgumentRows field={field} />;
    case 'pairs':
      return <VariableRows field={field} />;
    case 'folder':
      return <FolderField field={field} note={note} />;
    default:
      return <TextualField field={field} note={note} />;
  }
}

function TextualField({ field, note }: KindFieldProps) {
  const [values, change] = useSettings();
  const isCode = field.control === 'code';
  return (
    <TextField
      {...useField(`settings.${field.path}`)}
      label={field.label}
      value={String(values[field.path] ?? '')}
      onChange={(text) => change(field.path, text)}
      placeholder={field.placeholder}
      isMono={isCode || field.path === 'program' || field.path === 'shell'}
      rows={isCode ? CODE_ROWS : 1}
      inputMode={field.control === 'number' ? 'numeric' : 'text'}
      help={
        note === undefined && field.help === undefined ? undefined : (
          <>
            {note}
            {field.help}
          </>
        )
      }
    />
  );
}

function FolderField({ field, note }: KindFieldProps) {
  const { chooseFolder } = useStores();
  const [values, change] = useSettings();
  const value = String(values[field.path] ?? '');
  const choose = async (): Promise<void> => {
    const chosen = await chooseFolder(value);
    if (chosen !== null) change(field.path, chosen);
  };
  return (
    <TextField
      {...useField(`settings.${field.path}`)}
      label={field.label}
      value={value}
      onChange={(text) => change(field.path, text)}
      placeholder={field.placeholder ?? '~'}
      isMono
      after={
        <Button icon={FolderOpen} onPress={() => void choose()}>
          {texts.rows.choose}
        </Button>
      }
      help={
        <>
          {note}
          {field.help}
        </>
      }
    />
  );
}
