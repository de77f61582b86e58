/** What becomes of due times that were missed, and of those that come while a run still goes on. */
import type { LimitForm } from '../../store/numberForm';
import { RadioList } from '../../ui/segmented';
import { Switch } from '../../ui/switch';
import { CountField } from './countField';
import { useForm, useFormChange } from './fields';
import { texts as policyTexts } from './policyTexts';
import { SpanField } from './spanField';
import { texts } from './texts';

const words = texts.wrong;

type LimitProps = {
  label: string;
  path: string;
  value: LimitForm;
  onChange: (value: LimitForm) => void;
  before?: string;
  after?: string;
};

/** A limit with a switch before it. */
export function Limit({ label, path, value, onChange, before, after }: LimitProps) {
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

const CATCH_UPS = ['once', 'all', 'none'] as const;

export function MissedRule() {
  const catchUp = useForm((form) => form.catchUp);
  const count = useForm((form) => form.catchUpCount);
  const lateLimit = useForm((form) => form.lateLimit);
  const change = useFormChange();
  const { missed } = policyTexts;
  return (
    <div className="rule">
      <h3>{words.missed}</h3>
      <div className="rule-lines">
        <RadioList
          label={words.missed}
          value={catchUp}
          options={CATCH_UPS.map((id) => ({ id, label: missed.choices[id], note: missed.notes[id] }))}
          onChange={(value) => change('policies.catchUp', { catchUp: value })}
        />
        {catchUp === 'all' ? (
          <div className="phrase">
            <span>{missed.atMost}</span>
            <CountField
              path="policies.catchUp.countMax"
              label={missed.count}
              value={count}
              onChange={(value) => change('policies.catchUp.countMax', { catchUpCount: value })}
            />
            <span>{missed.countAfter}</span>
          </div>
        ) : null}
        {catchUp === 'none' ? null : (
          <Limit
            label={words.isLateLimited}
            path="policies.catchUp.ageMsMax"
            value={lateLimit}
            onChange={(value) => change('policies.catchUp.ageMsMax', { lateLimit: value })}
            before={words.late}
            after={words.lateAfter}
          />
        )}
      </div>
    </div>
  );
}

const OVERLAPS = ['skip', 'queue_one', 'queue_all', 'replace', 'allow'] as const;

export function OverlapRule() {
  const overlap = useForm((form) => form.overlap);
  const count = useForm((form) => form.overlapCount);
  const change = useFormChange();
  const { overlap: texts } = policyTexts;
  const hasCount = overlap === 'queue_all' || overlap === 'allow';
  const countLabel = overlap === 'allow' ? texts.allowMax : texts.queueMax;
  return (
    <div className="rule">
      <h3>{words.overlap}</h3>
      <div className="rule-lines">
        <RadioList
          label={words.overlap}
          value={overlap}
          options={OVERLAPS.map((id) => ({ id, label: texts.choices[id], note: texts.notes[id] }))}
          onChange={(value) => change('policies.overlap', { overlap: value })}
        />
        {hasCount ? (
          <div className="phrase">
            <span>{countLabel}</span>
            <CountField
              path="policies.overlap.countMax"
              label={countLabel}
              value={count}
              onChange={(value) => change('policies.overlap.countMax', { overlapCount: value })}
            />
            <span>{texts.countAfter}</span>
          </div>
        ) : null}
      </div>
    </div>
  );
}
