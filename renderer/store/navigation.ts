/** Ways between places. Leaving the editor with unsaved changes asks first, whatever the way out is. */
import type { StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import type { JobId } from '../../shared/model/job';
import { type EditorState, isDirty } from './editor';
import type { JobForm } from './jobForm';
import type { PlaceState } from './place';

export type Navigation = {
  newJob(form?: JobForm): void;
  editJob(jobId: JobId): void;
  /** To the list, with this job selected and its detail open. */
  showJob(jobId: JobId): void;
  leaveEditor(): void;
  /** Whether the window may be closed now. If not, it is asked about, and `close` is called when that is settled. */
  mayClose(close: () => void): boolean;
};

export function createNavigation(
  bridge: Bridge,
  place: StoreApi<PlaceState>,
  editor: StoreApi<EditorState>,
): Navigation {
  const isLosing = (): boolean => place.getState().place === 'editor' && isDirty(editor.getState());
  const unlessUnsaved = (go: () => void): void => {
    if (isLosing()) place.getState().change({ question: { ask: 'leave_editor', go } });
    else go();
  };
  const navigation: Navigation = {
    newJob: (form) =>
      unlessUnsaved(() => {
        editor.getState().openNew(form);
        place.getState().change({ place: 'editor', sidebar: closed(place) });
      }),
    editJob: (jobId) =>
      unlessUnsaved(() => {
        void editor.getState().openJob(jobId);
        place.getState().change({ place: 'editor', sidebar: closed(place) });
      }),
    showJob: (jobId) =>
      unlessUnsaved(() => {
        place.getState().select(jobId);
        place.getState().change({ place: 'jobs', isDetailOpen: true });
      }),
    leaveEditor: () => unlessUnsaved(() => place.getState().change({ place: 'jobs' })),
    mayClose: (close) => {
      const isAsked = isLosing();
      if (isAsked) unlessUnsaved(close);
      return !isAsked;
    },
  };
  place.subscribe((state, before) => {
    if (before.place === 'editor' && state.place !== 'editor') editor.getState().close();
  });
  // The draft that was left behind.
  if (editor.getState().isOpen) place.getState().change({ place: 'editor' });
  bridge.subscribe('window.show', ({ place: wanted, jobId }) => {
    if (wanted === 'new_job') navigation.newJob();
    else if (jobId !== null) navigation.showJob(jobId);
    else navigation.leaveEditor();
  });
  return navigation;
}

/** A sidebar that lies over the content is in the way of a new place. */
const closed = (place: StoreApi<PlaceState>): PlaceState['sidebar'] => {
  const { sidebar } = place.getState();
  return sidebar === 'over' ? 'auto' : sidebar;
};
