/** How much room Belfry takes, how long it keeps what, and the copies of its store. A dialog until there is a place for settings. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Backup, DataFacts } from '../../../shared/model/data';
import type { Instant } from '../../../shared/time';
import { counted, size } from '../../format';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { Question } from '../../ui/dialog';
import { FormDialog } from '../../ui/formDialog';
import { Path } from '../../ui/path';
import { SkeletonRows } from '../../ui/skeleton';
import { texts as detailTexts } from '../detail/texts';
import { useNow, useStores } from '../stores';
import { capital, dayAndTime, holdings } from './backupWords';
import { CopiesList } from './copiesList';
import { KeepForm } from './keepForm';
import { texts } from './texts';

type Said = { readonly text: string; readonly isBad: boolean };

export function DataDialog({ onClose }: { onClose: () => void }) {
  const { data } = useStores();
  const [said, setSaid] = useState<Said>();
  const [asked, setAsked] = useState<Backup>();
  const task = useSelected(data, (state) => state.task);
  useEffect(() => {
    data.getState().open();
    return () => data.getState().close();
  }, [data]);
  const say = (text: string, isBad = false): void => setSaid({ text, isBad });
  const putBack = async (copy: Backup): Promise<void> => {
    setAsked(undefined);
    const reply = await data.getState().restore(copy.id);
    if (reply.ok) onClose();
    else say(reply.error.message, true);
  };
  const text = task === 'restore' ? texts.restore.doing : said?.text;
  return (
    <FormDialog
      title={texts.title}
      isWide
      onClose={onClose}
      actions={
        <>
          <p className={`data-said${said?.isBad && task === null ? ' tone-fail' : ''}`} role="status">
            {text}
          </p>
          <Button autoFocus onPress={onClose}>
            {texts.close}
          </Button>
        </>
      }
    >
      <Facts />
      <DataActions onSaid={say} />
      <KeepForm onSaid={say} />
      <CopiesList onPutBack={setAsked} />
      {asked === undefined ? null : (
        <PutBackQuestion copy={asked} onYes={() => void putBack(asked)} onNo={() => setAsked(undefined)} />
      )}
    </FormDialog>
  );
}

function Facts() {
  const { data } = useStores();
  const facts = useSelected(data, (state) => state.facts);
  const failure = useSelected(data, (state) => state.failure);
  const now = useNow('minute');
  if (facts === null) {
    if (failure === null) {
      return (
        <SkeletonRows
          label={texts.loading}
          stillLabel={detailTexts.stillLoading}
          rows={4}
          className="skeleton-fact"
        />
      );
    }
    return (
      <p className="tone-fail" role="alert">
        {texts.failed} {failure.message}
      </p>
    );
  }
  return (
    <dl className="facts data-facts num">
      {factsOf(facts, now).map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(facts: DataFacts, now: Instant): (readonly [name: string, value: ReactNode])[] {
  const when = (at: Instant | null, none: string): string =>
    at === null ? none : capital(dayAndTime(at, now));
  const { lastCheck, freeBytes } = facts;
  return [
    [
      texts.size,
      texts.sizes(
        counted(facts.runCount, 'run'),
        size(facts.storeBytes),
        size(facts.outputBytes),
        size(facts.backupBytes),
        freeBytes === null ? null : size(freeBytes),
      ),
    ],
    [texts.oldest, when(facts.oldestRunAt, texts.none)],
    [texts.lastCopy, when(facts.lastBackupAt, texts.none)],
    [
      texts.lastCheck,
      lastCheck === null ? (
        texts.never
      ) : lastCheck.finding === null ? (
        texts.whole(when(lastCheck.at, ''))
      ) : (
        <span key="found" className="tone-fail">
          {texts.found(when(lastCheck.at, ''))}
        </span>
      ),
    ],
    [texts.folder, <Path key="folder" path={facts.folder} />],
  ];
}

function DataActions({ onSaid }: { onSaid: (said: string, isBad?: boolean) => void }) {
  const { data } = useStores();
  const task = useSelected(data, (state) => state.task);
  const state = data.getState();
  const copy = async (): Promise<void> => {
    if (task !== null) return;
    const reply = await state.copy();
    if (reply.ok) onSaid(texts.copied(holdings(reply.value)));
    else onSaid(reply.error.message, true);
  };
  const check = async (): Promise<void> => {
    if (task !== null) return;
    const reply = await state.check();
    if (!reply.ok) return onSaid(reply.error.message, true);
    const isDamaged = (reply.value.lastCheck?.finding ?? null) !== null;
    onSaid(isDamaged ? texts.damaged : texts.checked, isDamaged);
  };
  const show = async (): Promise<void> => {
    const reply = await state.reveal();
    if (!reply.ok) onSaid(reply.error.message, true);
  };
  return (
    <div className="data-actions">
      <Button onPress={() => void copy()}>{task === 'copy' ? texts.copying : texts.copyNow}</Button>
      <Button onPress={() => void check()}>{task === 'check' ? texts.checking : texts.checkNow}</Button>
      <Button onPress={() => void show()}>{texts.show}</Button>
    </div>
  );
}

type PutBackProps = { copy: Backup; onYes: () => void; onNo: () => void };

function PutBackQuestion({ copy, onYes, onNo }: PutBackProps) {
  const now = useNow('minute');
  const when = dayAndTime(copy.madeAt, now);
  return (
    <Question
      title={texts.restore.title(when)}
      body={texts.restore.body(when, holdings(copy))}
      answers={[
        { label: texts.restore.no, isSafe: true, onChoose: onNo },
        { label: texts.restore.yes, isDanger: true, onChoose: onYes },
      ]}
    />
  );
}
