/** What to run, and where. What was found out about the command stands under it; it warns and never blocks. */
import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { jobKinds, type KindSettings, kindSummary } from '../../../shared/kinds/registry';
import { whereForm } from '../../../shared/kinds/where';
import { tagsOf } from '../../store/jobForm';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { Chip, RemovableChip } from '../../ui/chip';
import { Icon } from '../../ui/icon';
import { Switch } from '../../ui/switch';
import { TextField } from '../../ui/textField';
import { useStores } from '../stores';
import { useField, useForm, useFormChange } from './fields';
import { KindFields } from './kindFields';
import { texts } from './texts';

const words = texts.what;
const SUGGESTED_WORDS = 2;

export function WhatSection() {
  const kind = useForm((form) => form.settings.kind);
  const notes = useCommandNotes();
  return (
    <>
      <NameField />
      <KindFields form={jobKinds[kind].form} notes={notes} />
      <TagsField />
      <NotesField />
      <EnabledField />
    </>
  );
}

export function WhereSection() {
  return <KindFields form={whereForm} notes={useCommandNotes()} />;
}

const note = (icon: typeof CircleCheck, tone: 'ok' | 'warn', text: string): ReactNode => (
  <span className={`field-note tone-${tone}`}>
    <Icon of={icon} size={14} />
    <span>{text}</span>
  </span>
);

/** Sentences of the engine about the command, by field. */
function useCommandNotes(): Readonly<Record<string, ReactNode>> {
  const { editor } = useStores();
  const check = useSelected(editor, (state) => state.check);
  const settings = useForm((form) => form.settings);
  const notes: Record<string, ReactNode> = {};
  if (check === null) return notes;
  const { field, text: typed } = programField(settings);
  const isEmpty = typed.trim() === '';
  if (check.programPath !== null && !isEmpty) {
    notes[field] = note(CircleCheck, 'ok', words.found(check.programPath));
  }
  for (const { path, text } of check.warnings) {
    const place = path.replace(/^settings\./, '');
    if (!(place === field && isEmpty)) notes[place] = note(TriangleAlert, 'warn', text);
  }
  return notes;
}

/** The field that names the program, and what stands in it. */
function programField(settings: KindSettings): { field: string; text: string } {
  if (settings.kind === 'script') return { field: 'interpreter', text: settings.text };
  return settings.form === 'shell'
    ? { field: 'line', text: settings.line }
    : { field: 'program', text: settings.program };
}

/** The first words of a command, as a name. */
const suggestedName = (command: string): string =>
  command
    .trim()
    .split(/\s+/)
    .slice(0, SUGGESTED_WORDS)
    .map((word) => word.split('/').at(-1) ?? word)
    .join(' ');

function NameField() {
  const name = useForm((form) => form.name);
  const suggestion = useForm((form) => suggestedName(kindSummary(form.settings)));
  const change = useFormChange();
  return (
    <TextField
      {...useField('name')}
      label={words.name}
      value={name}
      onChange={(text) => change('name', { name: text })}
      help={
        name === '' && suggestion !== '' ? (
          <Chip label={words.suggestion(suggestion)} onPress={() => change('name', { name: suggestion })} />
        ) : undefined
      }
    />
  );
}

function TagsField() {
  const { jobs } = useStores();
  const tags = useForm((form) => form.tags);
  const change = useFormChange();
  const rows = useSelected(jobs, (state) => state.rows);
  const known = [...new Set((rows ?? []).flatMap((row) => row.tags))].filter((tag) => !tags.includes(tag));
  const typed = useForm((form) => form.typedTag);
  const add = (): void => change('tags', { tags: tagsOf({ tags, typedTag: typed }), typedTag: '' });
  return (
    <div className="tags-field">
      <TextField
        {...useField('tags')}
        label={words.tags}
        value={typed}
        onChange={(text) => change('tags', { typedTag: text })}
        list="known-tags"
        help={words.tagsHelp}
        after={<Button onPress={add}>{words.addTag}</Button>}
        onKeyDown={(event) => {
          if ((event.key !== 'Enter' && event.key !== ',') || typed.trim() === '') return;
          event.preventDefault();
          add();
        }}
      />
      <datalist id="known-tags">
        {known.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      {tags.length === 0 ? null : (
        <div className="tag-chips">
          {tags.map((tag) => (
            <RemovableChip
              key={tag}
              label={tag}
              removeLabel={words.removeTag(tag)}
              onRemove={() => change('tags', { tags: tags.filter((one) => one !== tag) })}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function NotesField() {
  const notes = useForm((form) => form.notes);
  const change = useFormChange();
  return (
    <TextField
      {...useField('notes')}
      label={words.notes}
      value={notes}
      rows={2}
      onChange={(text) => change('notes', { notes: text })}
    />
  );
}

function EnabledField() {
  const isEnabled = useForm((form) => form.isEnabled);
  const change = useFormChange();
  return (
    <Switch
      label={words.enabled}
      isLabelVisible
      isOn={isEnabled}
      onChange={(isOn) => change('isEnabled', { isEnabled: isOn })}
    />
  );
}
