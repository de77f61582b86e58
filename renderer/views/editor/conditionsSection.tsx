/** What must be so before a planned run starts: a list, each with how long it is waited for and what happens then. */
import {
  BatteryMedium,
  Hourglass,
  type LucideIcon,
  Plug,
  Plus,
  Server,
  TerminalSquare,
  Wifi,
  X,
} from 'lucide-react';
import { commandSummary } from '../../../shared/kinds/command';
import { CONDITIONS_MAX, type ConditionKind } from '../../../shared/model/condition';
import { type ConditionForm, emptyCondition } from '../../store/conditionForm';
import { Button, IconButton } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { TextMenu } from '../../ui/menu';
import { Select } from '../../ui/select';
import { TextField } from '../../ui/textField';
import { CountField } from './countField';
import { useField, useForm, useFormChange } from './fields';
import { texts } from './policyTexts';
import { SpanField } from './spanField';

const words = texts.conditions;

const ICONS: Readonly<Record<ConditionKind, LucideIcon>> = {
  mains: Plug,
  battery_above: BatteryMedium,
  network: Wifi,
  host_answers: Server,
  user_idle: Hourglass,
  check_command: TerminalSquare,
};
const KINDS = Object.keys(ICONS) as ConditionKind[];

export function ConditionsSection() {
  const conditions = useForm((form) => form.conditions);
  const change = useFormChange();
  const add = (kind: ConditionKind): void =>
    change('conditions', { conditions: [...conditions, emptyCondition(kind)] });
  return (
    <>
      {conditions.length === 0 ? (
        <p className="section-text">{words.none}</p>
      ) : (
        <ul className="conditions" aria-label={words.list}>
          {conditions.map((condition, index) => (
            <ConditionCard key={condition.key} condition={condition} index={index} />
          ))}
        </ul>
      )}
      {conditions.length >= CONDITIONS_MAX ? null : (
        <div className="field-foot">
          <TextMenu
            look="button"
            label={words.add}
            entries={KINDS.map((id) => ({
              id,
              label: words.kinds[id],
              icon: ICONS[id],
              onChoose: () => add(id),
            }))}
          >
            <Icon of={Plus} size={14} />
            {words.add}
          </TextMenu>
        </div>
      )}
      {conditions.length === 0 ? null : <p className="field-help">{words.help}</p>}
    </>
  );
}

type CardProps = { condition: ConditionForm; index: number };

function ConditionCard({ condition, index }: CardProps) {
  const conditions = useForm((form) => form.conditions);
  const change = useFormChange();
  const path = `conditions.${index}`;
  const set = (field: string, part: Partial<ConditionForm>): void =>
    change(`${path}.${field}`, {
      conditions: conditions.map((one, at) => (at === index ? { ...one, ...part } : one)),
    });
  const name = words.kinds[condition.kind];
  return (
    <li className="condition">
      <Icon of={ICONS[condition.kind]} />
      <div className="condition-parts">
        <b>{name}</b>
        <KindFields condition={condition} path={path} set={set} />
        <div className="phrase">
          <span>{words.wait}</span>
          <SpanField
            path={`${path}.waitMsMax`}
            amountLabel={words.wait}
            unitLabel={words.unit}
            value={condition.wait}
            onChange={(wait) => set('waitMsMax', { wait })}
          />
          <span>{words.afterwards}</span>
          <Select
            label={words.otherwise}
            value={condition.otherwise}
            options={(['run', 'skip', 'fail'] as const).map((id) => ({ id, label: words.otherwises[id] }))}
            onChange={(otherwise) => set('otherwise', { otherwise })}
          />
        </div>
      </div>
      <IconButton
        icon={X}
        isSmall
        label={words.remove(name)}
        onPress={() => change('conditions', { conditions: conditions.filter((_, at) => at !== index) })}
      />
    </li>
  );
}

type KindProps = {
  condition: ConditionForm;
  path: string;
  set: (field: string, part: Partial<ConditionForm>) => void;
};

function KindFields({ condition, path, set }: KindProps) {
  switch (condition.kind) {
    case 'mains':
    case 'network':
      return null;
    case 'battery_above':
      return (
        <div className="phrase">
          <span>{words.percentBefore}</span>
          <CountField
            path={`${path}.percent`}
            label={words.percent}
            value={condition.percent}
            onChange={(percent) => set('percent', { percent })}
          />
          <span>{words.percentAfter}</span>
        </div>
      );
    case 'host_answers':
      return <HostFields condition={condition} path={path} set={set} />;
    case 'user_idle':
      return (
        <div className="phrase">
          <span>{words.idleBefore}</span>
          <SpanField
            path={`${path}.idleMs`}
            amountLabel={words.idle}
            unitLabel={words.unit}
            value={condition.idle}
            onChange={(idle) => set('idleMs', { idle })}
          />
        </div>
      );
    case 'check_command':
      return <CheckFields condition={condition} path={path} set={set} />;
  }
}

function HostFields({ condition, path, set }: KindProps) {
  const host = useField(`${path}.host`);
  const port = useField(`${path}.port`);
  return (
    <div className="condition-host">
      <TextField
        {...host}
        label={words.host}
        isMono
        placeholder={words.hostPlaceholder}
        value={condition.host}
        onChange={(text) => set('host', { host: text })}
      />
      <TextField
        {...port}
        className="field-port"
        label={words.port}
        inputMode="numeric"
        value={condition.port}
        onChange={(text) => set('port', { port: text })}
      />
    </div>
  );
}

/** The check is a line for a shell. One that was made as a program elsewhere stays as it is unless it is rewritten. */
function CheckFields({ condition, path, set }: KindProps) {
  const { settings } = condition;
  const line = useField(`${path}.settings.line`);
  if (settings.form === 'program') {
    return (
      <div className="field-foot">
        <span className="field-help">{words.program(commandSummary(settings))}</span>
        <Button isSmall onPress={() => set('settings', { settings: { ...settings, form: 'shell' } })}>
          {words.asLine}
        </Button>
      </div>
    );
  }
  return (
    <TextField
      {...line}
      label={words.command}
      isMono
      value={settings.line}
      onChange={(text) => set('settings.line', { settings: { ...settings, line: text } })}
      help={words.commandHelp}
    />
  );
}
