/** Further tries after a failure: how many, how long between them, and after which ends. The waits are written out. */
import { listed, span } from '../../format';
import type { RetryForm } from '../../store/policyForm';
import { readSpan } from '../../store/spanForm';
import { Select } from '../../ui/select';
import { Switch } from '../../ui/switch';
import { TextField } from '../../ui/textField';
import { CountField } from './countField';
import { useField, useForm, useFormChange } from './fields';
import { texts } from './policyTexts';
import { SpanField } from './spanField';

const words = texts.retry;
/** Waits that are written out; more follow the same rule. */
const WAITS_SHOWN = 4;

/** Each wait in words, as long as everything that was typed can be read. */
export function waitsOf({ count, delay, growth, delayMax }: RetryForm): string | null {
  const total = /^\s*\d{1,3}\s*$/.test(count) ? Number(count) : 0;
  const first = readSpan(delay);
  const most = growth === 'doubling' ? readSpan(delayMax) : first;
  if (total < 1 || first === null || most === null) return null;
  const waits = Array.from({ length: Math.min(total, WAITS_SHOWN) }, (_, index) =>
    span(growth === 'doubling' ? Math.min(first * 2 ** index, most) : first),
  );
  return total > WAITS_SHOWN ? words.more(waits.join(', ')) : listed(waits);
}

export function RetryRule() {
  const retry = useForm((form) => form.retry);
  const change = useFormChange();
  const set = (path: string, part: Partial<RetryForm>): void =>
    change(`policies.retry${path}`, { retry: { ...retry, ...part } });
  return (
    <div className="rule">
      <h3>{words.title}</h3>
      <div className="rule-lines">
        <div className="phrase">
          <Switch
            label={words.isOn}
            isLabelVisible
            isOn={retry.isOn}
            onChange={(isOn) => set('', { isOn })}
          />
          {retry.isOn ? (
            <>
              <CountField
                path="policies.retry.countMax"
                label={words.count}
                value={retry.count}
                onChange={(count) => set('.countMax', { count })}
              />
              <span>{words.countAfter}</span>
            </>
          ) : null}
        </div>
        {retry.isOn ? <RetryFields retry={retry} set={set} /> : <p className="field-help">{words.off}</p>}
      </div>
    </div>
  );
}

type RetryProps = { retry: RetryForm; set: (path: string, part: Partial<RetryForm>) => void };

function RetryFields({ retry, set }: RetryProps) {
  const waits = waitsOf(retry);
  const codes = useField('policies.retry.exitCodes');
  return (
    <>
      <div className="phrase">
        <span>{words.delay}</span>
        <SpanField
          path="policies.retry.delayMs"
          amountLabel={words.delay}
          unitLabel={words.unit}
          value={retry.delay}
          onChange={(delay) => set('.delayMs', { delay })}
        />
        <Select
          label={words.growth}
          value={retry.growth}
          options={(['fixed', 'doubling'] as const).map((id) => ({ id, label: words.growths[id] }))}
          onChange={(growth) => set('.growth', { growth })}
        />
        {retry.growth === 'doubling' ? (
          <>
            <span>{words.upTo}</span>
            <SpanField
              path="policies.retry.delayMsMax"
              amountLabel={words.delayMax}
              unitLabel={words.unit}
              value={retry.delayMax}
              onChange={(delayMax) => set('.delayMsMax', { delayMax })}
            />
          </>
        ) : null}
      </div>
      {waits === null ? null : <p className="field-help">{words.plan(waits)}</p>}
      <div className="phrase">
        <Switch
          label={words.codes}
          isLabelVisible
          isOn={retry.isLimitedToCodes}
          onChange={(isLimitedToCodes) => set('.exitCodes', { isLimitedToCodes })}
        />
        {retry.isLimitedToCodes ? (
          <TextField
            {...codes}
            className="field-codes"
            label={words.codes}
            isLabelHidden
            placeholder={words.codesPlaceholder}
            value={retry.exitCodes}
            onChange={(exitCodes) => set('.exitCodes', { exitCodes })}
          />
        ) : null}
      </div>
    </>
  );
}
