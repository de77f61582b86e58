/** What begins and ends a pause, for buttons, menus and dialogs alike: done, told, and taken back. */
import { useMemo } from 'react';
import type { Pause, PauseScope } from '../../shared/model/pause';
import type { Instant } from '../../shared/time';
import { moment } from '../format';
import { type PauseForm, readPause } from '../store/pauseForm';
import type { Stores } from '../store/stores';
import { texts } from './pauseTexts';
import { useStores } from './stores';

export type PauseActions = {
  /** `name` is of the job or the tag; empty for everything. */
  start(scope: PauseScope, name: string, until: Instant | null, note: string): Promise<void>;
  /** The same for a ready-made length. */
  startFor(scope: PauseScope, name: string, choice: 'hour' | 'tomorrow'): void;
  /** Asks for how long. */
  ask(scope: PauseScope, name: string): void;
  end(pauses: readonly Pause[]): Promise<void>;
  /** Ends every pause of everything, whoever began it. */
  resumeAll(): Promise<void>;
  pauseAll(): Promise<void>;
};

function createPauseActions({ pauses, status, notices, place, clock }: Stores): PauseActions {
  const { show } = notices.getState();
  const end = async (ended: readonly Pause[]): Promise<void> => {
    const failure = await pauses.getState().end(ended.map(({ id }) => id));
    show(failure === null ? texts.said.resumed : failure.message);
  };
  const start: PauseActions['start'] = async (scope, name, until, note) => {
    const reply = await pauses.getState().start({ scope, note, until });
    if (!reply.ok) {
      show(reply.error.message);
      return;
    }
    const what = name === '' ? texts.said.allJobs : `“${name}”`;
    const when = until === null ? '' : texts.ends(moment(until, clock.read('minute')));
    show(texts.said.paused(what, when), () => end([reply.value]));
  };
  const setAll = async (isPaused: boolean): Promise<void> => {
    const reply = await status.getState().setPaused(isPaused);
    if (!reply.ok) show(reply.error.message);
  };
  return {
    start,
    startFor: (scope, name, choice) => {
      const form: PauseForm = { choice, date: '', time: '' };
      const reading = readPause(form, clock.now());
      if (reading.ok) void start(scope, name, reading.until, '');
    },
    ask: (scope, name) => place.getState().change({ question: { ask: 'pause', scope, name } }),
    end,
    resumeAll: async () => {
      const all = pauses.getState().pauses.filter(({ scope }) => scope.kind === 'all');
      // The short way ends what has neither a note nor an end; the others are ended one by one.
      if (all.length > 0) await pauses.getState().end(all.map(({ id }) => id));
      await setAll(false);
    },
    pauseAll: () => setAll(true),
  };
}

export function usePauseActions(): PauseActions {
  const stores = useStores();
  return useMemo(() => createPauseActions(stores), [stores]);
}
