/** The choices that make sense for this damage. Starting empty is asked about once more, in place. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Backup, BackupId, RescueState as Refused, RescueChoice } from '../../../shared/model/data';
import type { Instant } from '../../../shared/time';
import { Button } from '../../ui/button';
import { RadioList } from '../../ui/segmented';
import { Select } from '../../ui/select';
import { capital, dayAndTime, holdings, reasonWords } from '../data/backupWords';
import { useNow, useStores } from '../stores';
import { texts } from './texts';

const words = texts.choices;

type ChoicesProps = { refused: Refused; onChosen: (choice: RescueChoice) => void; children: ReactNode };

export function RescueChoices({ refused, onChosen, children }: ChoicesProps) {
  const { rescue } = useStores();
  const [wanted, setWanted] = useState<RescueChoice>();
  const [wantedCopy, setWantedCopy] = useState<BackupId>();
  const [isSure, setSure] = useState(true);
  const root = useFirstFocus(isSure);
  const { backups } = refused;
  const choices = refused.choices.filter((choice) => choice !== 'restore' || backups.length > 0);
  const choice = choices.find((one) => one === wanted) ?? choices[0];
  const copy =
    backups.find(({ id }) => id === wantedCopy) ??
    backups.find(({ problem }) => problem === null) ??
    backups[0];

  const act = (): void => {
    if (choice === undefined) return;
    onChosen(choice);
    if (choice !== 'restore') void rescue.getState().act({ choice });
    else if (copy !== undefined) void rescue.getState().act({ choice, backupId: copy.id });
  };
  if (!isSure) {
    return (
      <div ref={root}>
        <ConfirmEmpty onYes={act} onNo={() => setSure(true)} />
      </div>
    );
  }
  return (
    <div ref={root} className="rescue-ways">
      {choice === undefined ? (
        <p className="rescue-hand">{texts.byHand}</p>
      ) : (
        <Choices choices={choices} choice={choice} copy={copy} onChoose={setWanted} />
      )}
      {choice === 'restore' && copy !== undefined && (backups.length > 1 || copy.problem !== null) ? (
        <CopyChoice backups={backups} copy={copy} onChoose={setWantedCopy} />
      ) : null}
      <div className="rescue-actions">
        {choice === undefined ? null : (
          <Button variant="primary" onPress={() => (choice === 'start_empty' ? setSure(false) : act())}>
            {texts.goOn}
          </Button>
        )}
        {children}
      </div>
    </div>
  );
}

/** The first choice has the focus, or the first button where there is nothing to choose. */
function useFirstFocus(isSure: boolean) {
  const root = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what there is to focus changes with it
  useEffect(() => {
    const first =
      root.current?.querySelector<HTMLElement>('input[type="radio"]:checked') ??
      root.current?.querySelector<HTMLElement>('button');
    first?.focus();
  }, [isSure]);
  return root;
}

type RadioProps = {
  choices: readonly RescueChoice[];
  choice: RescueChoice;
  copy: Backup | undefined;
  onChoose: (choice: RescueChoice) => void;
};

function Choices({ choices, choice, copy, onChoose }: RadioProps) {
  const now = useNow('minute');
  const told = {
    restore: {
      label: words.restore(copy === undefined ? '' : dayAndTime(copy.madeAt, now)),
      note: words.restoreNote,
    },
    repair: { label: words.repair, note: words.repairNote },
    start_empty: { label: words.start_empty, note: words.startEmptyNote },
  } as const;
  return (
    <RadioList
      label={words.label}
      value={choice}
      options={choices.map((id) => ({ id, ...told[id] }))}
      onChange={onChoose}
    />
  );
}

const copyLabel = (copy: Backup, now: Instant): string =>
  texts.copyOption(
    capital(dayAndTime(copy.madeAt, now)),
    reasonWords[copy.reason],
    copy.problem ?? holdings(copy),
  );

type CopyChoiceProps = { backups: readonly Backup[]; copy: Backup; onChoose: (id: BackupId) => void };

function CopyChoice({ backups, copy, onChoose }: CopyChoiceProps) {
  const now = useNow('minute');
  return (
    <div className="rescue-copy">
      <span aria-hidden="true">{words.which}</span>
      <Select
        label={words.which}
        value={copy.id}
        options={backups.map((one) => ({ id: one.id, label: copyLabel(one, now) }))}
        onChange={onChoose}
      />
      {copy.problem === null ? null : (
        <p className="field-error rescue-copy-problem">
          {texts.cannotUse} {copy.problem}
        </p>
      )}
    </div>
  );
}

function ConfirmEmpty({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const { confirm } = texts;
  return (
    <section
      className="rescue-confirm"
      aria-labelledby="rescue-confirm"
      aria-describedby="rescue-confirm-body"
    >
      <h2 id="rescue-confirm">{confirm.title}</h2>
      <p id="rescue-confirm-body">{confirm.body}</p>
      <div className="rescue-actions">
        <Button onPress={onNo}>{confirm.no}</Button>
        <Button variant="danger" onPress={onYes}>
          {confirm.yes}
        </Button>
      </div>
    </section>
  );
}
