/** If something goes wrong: limits, and what becomes of due times that were missed. Every default in force is written out. */
import type { LimitForm } from '../../store/numberForm';
import type { SpanForm } from '../../store/spanForm';
import { RadioList } from '../../ui/segmented';
import { Switch } from '../../ui/switch';
import { useForm, useFormChange } from './fields';
import { SpanField } from './spanField';
import { texts } from './texts';

const words = texts.wrong;

export function WrongSection() {
  return (
    <div className="rules">
      <TimeoutRule />
      <div className="rule">
        <h3>{words.overlap}</h3>
        <p className="rule-text">{words.overlapSkip}</p>
      </div>
      <MissedRule />
      <InterruptedRule />
    </div>
  );
}

type LimitProps = {
  label: string;
  path: string;
  value: LimitForm;
  onChange: (value: LimitForm) => void;
  before?: string;
  after?: string;
};

/** A limit with a switch before it. */
function Limit({ label, path, value, onChange, before, after }: LimitProps) {
  return (
    <div className="phrase">
      <Switch
        label={label}
        isLabelVisible
        isOn={value.isOn}
        onChange={(isOn) => onChange({ ...value, isOn })}
      />
      {value.isOn ? (
        <>
          {before === undefined ? null : <span>{before}</span>}
          <SpanField
            path={path}
            amountLabel={words.amount}
            unitLabel={words.unit}
            value={value.span}
            onChange={(span) => onChange({ ...value, span })}
          />
          {after === undefined ? null : <span>{after}</span>}
        </>
      ) : null}
    </div>
  );
}

function TimeoutRule() {
  const timeout = useForm((form) => form.timeout);
  const grace = useForm((form) => form.grace);
  const change = useFormChange();
  const setGrace = (value: SpanForm): void => change('policies.graceMs', { grace: value });
  return (
    <div className="rule">
      <h3>{words.tooLong}</h3>
      <div className="rule-lines">
        <Limit
          label={words.isLimited}
          path="policies.timeoutMs"
          value={timeout}
          onChange={(value) => change('policies.timeoutMs', { timeout: value })}
        />
        {timeout.isOn ? null : <p className="field-help">{words.never}</p>}
        <div className="phrase">
          <span>{words.grace}</span>
          <SpanField
            path="policies.graceMs"
            amountLabel={words.grace}
            unitLabel={words.unit}
            value={grace}
            onChange={setGrace}
          />
          <span>{words.graceAfter}</span>
        </div>
      </div>
    </div>
  );
}

function MissedRule() {
  const catchUp = useForm((form) => form.catchUp);
  const lateLimit = useForm((form) => form.lateLimit);
  const change = useFormChange();
  return (
    <div className="rule">
      <h3>{words.missed}</h3>
      <div className="rule-lines">
        <RadioList
          label={words.missed}
          value={catchUp}
          options={[
            { id: 'once', label: words.missedChoices.once },
            { id: 'none', label: words.missedChoices.none },
          ]}
          onChange={(value) => change('policies.catchUp', { catchUp: value })}
        />
        {catchUp === 'once' ? (
          <Limit
            label={words.isLateLimited}
            path="policies.catchUp.ageMsMax"
            value={lateLimit}
            onChange={(value) => change('policies.catchUp.ageMsMax', { lateLimit: value })}
            before={words.late}
            after={words.lateAfter}
          />
        ) : null}
      </div>
    </div>
  );
}

function InterruptedRule() {
  const value = useForm((form) => form.afterInterruption);
  const change = useFormChange();
  return (
    <div className="rule">
      <h3>{words.interrupted}</h3>
      <RadioList
        label={words.interrupted}
        value={value}
        options={(['keep', 'pause', 'repeat'] as const).map((id) => ({
          id,
          label: words.interruptedChoices[id],
        }))}
        onChange={(chosen) => change('policies.afterInterruption', { afterInterruption: chosen })}
      />
    </div>
  );
}
