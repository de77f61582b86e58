/** Asks for how long something is paused, and why. */
import { useState } from 'react';
import { PauseNote, type PauseScope } from '../../shared/model/pause';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import { PAUSE_CHOICES, type PauseForm, readPause } from '../store/pauseForm';
import { Button } from '../ui/button';
import { FormDialog } from '../ui/formDialog';
import { RadioList } from '../ui/segmented';
import { TextField } from '../ui/textField';
import { wallTime } from './editor/intervalFields';
import { usePauseActions } from './pauseActions';
import { texts } from './pauseTexts';
import { useStores } from './stores';

/** What the two inputs begin with: tomorrow at the same time. */
const suggested = (now: Instant): Omit<PauseForm, 'choice'> => wallTime(toInstant(now + DAY_MS), 'local');

const titleOf = (scope: PauseScope, name: string): string =>
  scope.kind === 'all' ? texts.titleAll : scope.kind === 'tag' ? texts.titleTag(name) : texts.title(name);

type PauseDialogProps = { scope: PauseScope; name: string; onClose: () => void };

export function PauseDialog({ scope, name, onClose }: PauseDialogProps) {
  const { clock } = useStores();
  const actions = usePauseActions();
  const [form, setForm] = useState<PauseForm>(() => ({
    choice: 'hour',
    ...suggested(clock.now()),
  }));
  const [note, setNote] = useState('');
  const [mistake, setMistake] = useState<string>();
  const noteMistake = PauseNote.safeParse(note).error?.issues[0]?.message;
  const set = (part: Partial<PauseForm>): void => {
    setMistake(undefined);
    setForm({ ...form, ...part });
  };
  const pause = (): void => {
    const reading = readPause(form, clock.now());
    if (!reading.ok) setMistake(texts[reading.why]);
    else if (noteMistake === undefined) {
      onClose();
      void actions.start(scope, name, reading.until, note.trim());
    }
  };
  return (
    <FormDialog
      title={titleOf(scope, name)}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button variant="primary" onPress={pause}>
            {texts.pause}
          </Button>
        </>
      }
    >
      <p className="dialog-body">{texts.explain}</p>
      <RadioList
        label={texts.until}
        value={form.choice}
        options={PAUSE_CHOICES.map((id) => ({ id, label: texts.choices[id] }))}
        onChange={(choice) => set({ choice })}
      />
      {form.choice === 'moment' ? (
        <div className="phrase phrase-fields dialog-indent">
          <TextField
            label={texts.date}
            type="date"
            value={form.date}
            onChange={(date) => set({ date })}
            error={mistake}
          />
          <TextField label={texts.time} type="time" value={form.time} onChange={(time) => set({ time })} />
        </div>
      ) : null}
      <TextField
        label={texts.note}
        value={note}
        onChange={setNote}
        placeholder={texts.notePlaceholder}
        help={texts.noteHelp}
        error={noteMistake}
      />
    </FormDialog>
  );
}
