/** Saving, from wherever it is asked for: what is told, and where it leads. */
import { useCallback } from 'react';
import type { Job } from '../../../shared/model/job';
import { counted } from '../../format';
import { countMistakes, mistakesOf } from '../../store/mistakes';
import { useStores } from '../stores';
import { texts } from './texts';

/** Saves the form. `go` is where to after that; without it, to the job in the list. */
export function useSaveJob(): (go?: () => void) => Promise<void> {
  const finish = useFinishSaving();
  const { editor } = useStores();
  return useCallback(async (go) => finish(await editor.getState().save(), go), [editor, finish]);
}

/** What follows a save, successful or not. */
function useFinishSaving(): (job: Job | null, go?: () => void) => void {
  const { editor, notices, place } = useStores();
  return useCallback(
    (job, go) => {
      if (job === null) {
        const state = editor.getState();
        const count = countMistakes(state, { ...mistakesOf(state), ...state.refused });
        const text = count > 0 ? texts.said.refused(counted(count, 'thing')) : state.failure?.message;
        if (text !== undefined) notices.getState().say(text, true);
        return;
      }
      notices.getState().show(texts.said.saved(job.name));
      if (go !== undefined) go();
      else {
        place.getState().select(job.id);
        place.getState().change({ place: 'jobs', isDetailOpen: true });
      }
    },
    [editor, notices, place],
  );
}
