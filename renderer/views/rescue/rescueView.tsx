/**
 * The whole window while the store could not be opened: what happened, that nothing was touched, and the ways out, each with
 * its consequence. Nothing is done before it is chosen.
 */
import { Copy, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { RescueState as Refused } from '../../../shared/model/data';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { Path } from '../../ui/path';
import { capital, dayAndTime, holdings } from '../data/backupWords';
import { Bell } from '../glyph';
import { useNow, useStores } from '../stores';
import { RescueChoices } from './rescueChoices';
import { RescueProgress } from './rescueProgress';
import { texts } from './texts';

export function RescueView() {
  const { rescue, status } = useStores();
  const refused = useSelected(rescue, (state) => state.refused);
  const task = useSelected(rescue, (state) => state.task);
  const known = useSelected(status, (state) => state.status?.problem ?? texts.unknown);
  const [chosen, setChosen] = useState<Refused['choices'][number]>('restore');
  const isActing = task === 'act' || (refused?.repair ?? null) !== null;
  return (
    <main className="rescue" id="main" tabIndex={-1}>
      <div className="rescue-body">
        <div role="alert">
          <Bell size={36} isRinging={false} />
          <h1>{texts.title}</h1>
          <p className="rescue-calm">{isActing ? texts.calmActing : texts.calm}</p>
          <p className="rescue-what">
            <span className="sr">{texts.what}: </span>
            {refused?.message ?? known}
          </p>
        </div>
        {refused === null ? null : <Facts refused={refused} />}
        {isActing ? (
          <RescueProgress repair={refused?.repair ?? null} choice={chosen} />
        ) : refused === null ? (
          <LesserActions refused={null} />
        ) : (
          <RescueChoices refused={refused} onChosen={setChosen}>
            <LesserActions refused={refused} />
          </RescueChoices>
        )}
        <Failed />
      </div>
    </main>
  );
}

function Facts({ refused }: { refused: Refused }) {
  const now = useNow('minute');
  const copy = refused.backups.find(({ problem }) => problem === null);
  return (
    <dl className="facts rescue-facts">
      <dt>{texts.where}</dt>
      <dd>
        <Path path={refused.file} />
      </dd>
      {copy === undefined && refused.choices.length === 0 ? null : (
        <>
          <dt>{texts.lastCopy}</dt>
          <dd className="num">
            {copy === undefined
              ? texts.noCopy
              : texts.copyFacts(capital(dayAndTime(copy.madeAt, now)), holdings(copy))}
          </dd>
        </>
      )}
    </dl>
  );
}

/** What always works, and leaves everything as it is. */
function LesserActions({ refused }: { refused: Refused | null }) {
  const { rescue, status, notices, copy } = useStores();
  const task = useSelected(rescue, (state) => state.task);
  const state = rescue.getState();
  const retry = async (): Promise<void> => {
    const isOpen = await state.retry();
    if (!isOpen && rescue.getState().failure === null) notices.getState().show(texts.stillRefused);
  };
  const save = async (): Promise<void> => {
    const saved = await state.saveReadable();
    if (saved !== null) notices.getState().show(texts.saved(holdings(saved), saved.file, saved.gapCount));
  };
  const copyDetails = (): void => {
    const message = refused?.message ?? status.getState().status?.problem ?? texts.unknown;
    void copy(detailsOf(refused, message), texts.copied);
  };
  return (
    <>
      <Button onPress={() => void retry()}>{task === 'retry' ? texts.retrying : texts.retry}</Button>
      <Button icon={FolderOpen} onPress={() => void state.reveal()}>
        {texts.show}
      </Button>
      {refused?.canExport ? (
        <Button onPress={() => void save()}>{task === 'export' ? texts.saving : texts.save}</Button>
      ) : null}
      <Button icon={Copy} onPress={copyDetails}>
        {texts.copy}
      </Button>
      <Button onPress={() => void state.quit()}>{texts.quit}</Button>
    </>
  );
}

/** For whoever helps: all that is known, and the moments in a form that every reader understands. */
function detailsOf(refused: Refused | null, message: string): string {
  const copies = (refused?.backups ?? []).map(
    ({ id, madeAt, bytes, problem, ...counts }) =>
      `${id}: ${new Date(madeAt).toISOString()}, ${bytes} bytes, ${holdings(counts)}${problem === null ? '' : `; ${problem}`}`,
  );
  const facts = refused === null ? [] : [`Code: ${refused.code}`, `File: ${refused.file}`];
  const detail = (refused?.detail ?? null) === null ? [] : [`Detail: ${refused?.detail}`];
  return [texts.title, message, ...detail, ...facts, ...copies].join('\n');
}

function Failed() {
  const { rescue } = useStores();
  const failure = useSelected(rescue, (state) => state.failure);
  return (
    <p className="rescue-failed tone-fail" aria-live="polite">
      {failure?.message}
    </p>
  );
}
