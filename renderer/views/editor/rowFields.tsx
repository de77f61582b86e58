/** Fields that hold a row for each value: arguments, and variables with name and value. */
import { Plus, X } from 'lucide-react';
import type { ClipboardEvent } from 'react';
import type { Field } from '../../../shared/fields';
import { Button, IconButton } from '../../ui/button';
import { TextField } from '../../ui/textField';
import { useField, useSettings } from './fields';
import { texts } from './texts';

const words = texts.rows;

const replaced = <Item,>(items: readonly Item[], index: number, item: Item): readonly Item[] =>
  items.map((one, at) => (at === index ? item : one));

const without = <Item,>(items: readonly Item[], index: number): readonly Item[] =>
  items.filter((_, at) => at !== index);

export function ArgumentRows({ field }: { field: Field }) {
  const [values, change] = useSettings();
  const items = values[field.path] as readonly string[];
  const set = (next: readonly string[]): void => change(field.path, next);
  return (
    <fieldset className="field rows-field">
      <legend className="field-label">{field.label}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an argument is known by its place alone
        <div key={index} className="field-row">
          <ArgumentField
            path={`settings.${field.path}.${index}`}
            index={index}
            value={item}
            onChange={(text) => set(replaced(items, index, text))}
          />
          <IconButton
            icon={X}
            isSmall
            label={words.remove(words.argument(index + 1))}
            onPress={() => set(without(items, index))}
          />
        </div>
      ))}
      <div className="field-foot">
        <Button isSmall icon={Plus} onPress={() => set([...items, ''])}>
          {words.addArgument}
        </Button>
        <span className="field-help">{field.help}</span>
      </div>
    </fieldset>
  );
}

type ArgumentProps = { path: string; index: number; value: string; onChange: (text: string) => void };

function ArgumentField({ path, index, value, onChange }: ArgumentProps) {
  return (
    <TextField
      {...useField(path)}
      label={words.argument(index + 1)}
      isLabelHidden
      isMono
      value={value}
      onChange={onChange}
    />
  );
}

type Variable = { readonly name: string; readonly value: string };

/** Variables in text as `.env` files have it, or none if the text is not of that kind. */
export function readVariables(text: string): readonly Variable[] {
  return text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    return [{ name, value: value.replace(/^(["'])(.*)\1$/, '$2') }];
  });
}

/** The first name that stands in more than one row. */
const twice = (items: readonly Variable[]): string | undefined =>
  items.find(({ name }, index) => name !== '' && items.findIndex((one) => one.name === name) !== index)?.name;

export function VariableRows({ field }: { field: Field }) {
  const [values, change] = useSettings();
  const items = values[field.path] as readonly Variable[];
  const set = (next: readonly Variable[]): void => change(field.path, next);
  const again = twice(items);
  const paste = (event: ClipboardEvent, index: number): void => {
    const found = readVariables(event.clipboardData.getData('text'));
    if (found.length === 0) return;
    event.preventDefault();
    set([...items.slice(0, index), ...found, ...items.slice(index + 1)]);
  };
  return (
    <fieldset className="field rows-field">
      <legend className="field-label">{field.label}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a variable is known by its place while it has no name yet
        <div key={index} className="field-row field-row-pair">
          <VariableField
            path={`settings.${field.path}.${index}.name`}
            label={words.nameOf(index + 1)}
            placeholder={words.variableName}
            value={item.name}
            onChange={(name) => set(replaced(items, index, { ...item, name }))}
            onPaste={(event) => paste(event, index)}
          />
          <VariableField
            path={`settings.${field.path}.${index}.value`}
            label={words.valueOf(index + 1)}
            placeholder={words.variableValue}
            value={item.value}
            onChange={(value) => set(replaced(items, index, { ...item, value }))}
          />
          <IconButton
            icon={X}
            isSmall
            label={words.remove(item.name === '' ? words.nameOf(index + 1) : item.name)}
            onPress={() => set(without(items, index))}
          />
        </div>
      ))}
      <div className="field-foot">
        <Button isSmall icon={Plus} onPress={() => set([...items, { name: '', value: '' }])}>
          {words.addVariable}
        </Button>
        <span className={again === undefined ? 'field-help' : 'field-warning'}>
          {again === undefined ? field.help : words.twice(again)}
        </span>
      </div>
    </fieldset>
  );
}

type VariableProps = {
  path: string;
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  onPaste?: (event: ClipboardEvent) => void;
};

function VariableField({ path, label, ...others }: VariableProps) {
  return <TextField {...useField(path)} {...others} label={label} isLabelHidden isMono />;
}
