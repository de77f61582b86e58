/** How long history is kept. Each limit can be switched off; saving is one step, so that half a change is never in force. */
import { useState } from 'react';
import {
  RETENTION_FIELDS,
  type RetentionField,
  type RetentionForm,
  readRetention,
  retentionForm,
} from '../../store/retentionForm';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { Switch } from '../../ui/switch';
import { TextField } from '../../ui/textField';
import { useStores } from '../stores';
import { texts } from './texts';

const words = texts.keep;

export function KeepForm({ onSaid }: { onSaid: (said: string, isBad?: boolean) => void }) {
  const { settings } = useStores();
  const kept = useSelected(settings, (state) => state.settings.retention);
  const isKnown = useSelected(settings, (state) => state.isKnown);
  const [typed, setTyped] = useState<RetentionForm>();
  const [isTried, setTried] = useState(false);
  if (!isKnown) return null;
  const form = typed ?? retentionForm(kept);
  const reading = readRetention(form);
  const save = async (): Promise<void> => {
    setTried(true);
    if (!reading.ok) return;
    const reply = await settings.getState().change({ retention: reading.retention });
    if (!reply.ok) return onSaid(reply.error.message, true);
    setTyped(undefined);
    setTried(false);
    onSaid(words.saved);
  };
  return (
    <section aria-labelledby="data-keep">
      <h3 id="data-keep">{words.title}</h3>
      <form
        className="keep"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {RETENTION_FIELDS.map((field) => (
          <KeepRow
            key={field}
            field={field}
            form={form}
            mistake={isTried && !reading.ok ? reading.mistakes[field] : undefined}
            onChange={setTyped}
          />
        ))}
        <div className="keep-foot">
          <p className="field-help">{words.note}</p>
          <Button onPress={() => void save()}>{words.save}</Button>
        </div>
      </form>
    </section>
  );
}

type RowProps = {
  field: RetentionField;
  form: RetentionForm;
  mistake: string | undefined;
  onChange: (form: RetentionForm) => void;
};

function KeepRow({ field, form, mistake, onChange }: RowProps) {
  const { isOn, amount } = form[field];
  const { before, after, off } = words[field];
  const names = words.names[field];
  return (
    <div className="keep-row">
      <Switch
        label={names.limit}
        isOn={isOn}
        onChange={(next) => onChange({ ...form, [field]: { isOn: next, amount } })}
      />
      {isOn ? (
        <>
          <span>{before}</span>
          <TextField
            className="keep-amount"
            label={names.amount}
            isLabelHidden
            inputMode="numeric"
            value={amount}
            onChange={(next) => onChange({ ...form, [field]: { isOn, amount: next } })}
            error={mistake}
          />
          <span>{after}</span>
        </>
      ) : (
        <span className="keep-off">{off}</span>
      )}
    </div>
  );
}
