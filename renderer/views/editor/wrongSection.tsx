/** If something goes wrong: misses, overlaps, failures, endless runs, interruptions. Every default in force is written out. */
import type { SpanForm } from '../../store/spanForm';
import { RadioList } from '../../ui/segmented';
import { Switch } from '../../ui/switch';
import { CountField } from './countField';
import { useForm, useFormChange } from './fields';
import { Limit, MissedRule, OverlapRule } from './missedRules';
import { texts as policyTexts } from './policyTexts';
import { RetryRule } from './retryRule';
import { SpanField } from './spanField';
import { texts } from './texts';

const words = texts.wrong;

export function WrongSection() {
  return (
    <div className="rules">
      <MissedRule />
      <OverlapRule />
      <RetryRule />
      <TimeoutRule />
      <InterruptedRule />
      <LimitsRule />
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

const INTERRUPTIONS = ['keep', 'pause', 'repeat'] as const;

function InterruptedRule() {
  const value = useForm((form) => form.afterInterruption);
  const change = useFormChange();
  return (
    <div className="rule">
      <h3>{words.interrupted}</h3>
      <div className="rule-lines">
        <RadioList
          label={words.interrupted}
          value={value}
          options={INTERRUPTIONS.map((id) => ({
            id,
            label: words.interruptedChoices[id],
            note: words.interruptedNotes[id],
          }))}
          onChange={(chosen) => change('policies.afterInterruption', { afterInterruption: chosen })}
        />
        <p className="field-help">{words.interruptedHelp}</p>
      </div>
    </div>
  );
}

function LimitsRule() {
  const jitter = useForm((form) => form.jitter);
  const perHour = useForm((form) => form.perHour);
  const change = useFormChange();
  const { limits } = policyTexts;
  return (
    <div className="rule">
      <h3>{limits.title}</h3>
      <div className="rule-lines">
        <Limit
          label={limits.jitterName}
          path="policies.jitterMs"
          value={jitter}
          onChange={(value) => change('policies.jitterMs', { jitter: value })}
          before={limits.jitter}
          after={limits.jitterAfter}
        />
        {jitter.isOn ? <p className="field-help">{limits.jitterHelp}</p> : null}
        <div className="phrase">
          <Switch
            label={limits.perHourName}
            isLabelVisible
            isOn={perHour.isOn}
            onChange={(isOn) => change('policies.runsPerHourMax', { perHour: { ...perHour, isOn } })}
          />
          {perHour.isOn ? (
            <>
              <CountField
                path="policies.runsPerHourMax"
                label={limits.count}
                value={perHour.count}
                onChange={(count) => change('policies.runsPerHourMax', { perHour: { ...perHour, count } })}
              />
              <span>{limits.perHourAfter}</span>
            </>
          ) : null}
        </div>
        {perHour.isOn ? <p className="field-help">{limits.perHourHelp}</p> : null}
      </div>
    </div>
  );
}
