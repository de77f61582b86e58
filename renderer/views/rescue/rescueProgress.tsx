/** What goes on after a choice: how much a repair has saved so far, with the way to stop it. */
import { useEffect, useRef } from 'react';
import type { RepairProgress, RescueChoice } from '../../../shared/model/data';
import { Button } from '../../ui/button';
import { Progress } from '../../ui/progress';
import { holdings } from '../data/backupWords';
import { useStores } from '../stores';
import { texts } from './texts';

const words = texts.progress;

function progressText({ jobCount, runCount, share }: RepairProgress): string {
  const saved = words.saved(holdings({ jobCount, runCount }));
  return share === null ? saved : words.of(saved, Math.round(share * 100));
}

export function RescueProgress({ repair, choice }: { repair: RepairProgress | null; choice: RescueChoice }) {
  const { rescue } = useStores();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that began this is gone: whoever uses the keyboard goes on from here.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="rescue-progress">
      <h2 ref={heading} tabIndex={-1}>
        {words[repair === null ? choice : 'repair']}
      </h2>
      <Progress
        label={words.label}
        share={repair?.share ?? null}
        text={repair === null ? words.wait : progressText(repair)}
      />
      {repair === null ? null : (
        <Button onPress={() => void rescue.getState().cancelRepair()}>{words.cancel}</Button>
      )}
    </section>
  );
}
