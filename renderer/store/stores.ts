/** Builds every store of the window around one bridge. There is no store outside this: tests make as many as they like. */
import type { StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import { type AttemptsState, createAttemptsStore } from './attempts';
import { type Clock, createClock } from './clock';
import { createDataStore, type DataState } from './data';
import { createEditorStore, type EditorState } from './editor';
import { createHistoryStore, type HistoryState } from './history';
import { createJobStore, type JobState } from './job';
import { createJobsStore, type JobsState } from './jobs';
import { createNavigation, type Navigation } from './navigation';
import { createNoticesStore, type NoticesState } from './notices';
import { createOutputStore, type OutputState } from './output';
import { createPausesStore, type PausesState } from './pauses';
import { createPlaceStore, type Memory, type PlaceState } from './place';
import type { Attention } from './refresh';
import { createRescueStore, type RescueState } from './rescue';
import { createSettingsStore, type SettingsState } from './settings';
import { createStatusStore, type StatusState } from './status';
import { createWhatIfStore, type WhatIfState } from './whatIf';
import { createWhyStore, type WhyState } from './why';

export type Stores = {
  readonly jobs: StoreApi<JobsState>;
  readonly job: StoreApi<JobState>;
  readonly history: StoreApi<HistoryState>;
  readonly attempts: StoreApi<AttemptsState>;
  readonly output: StoreApi<OutputState>;
  readonly why: StoreApi<WhyState>;
  readonly pauses: StoreApi<PausesState>;
  readonly status: StoreApi<StatusState>;
  readonly rescue: StoreApi<RescueState>;
  readonly data: StoreApi<DataState>;
  readonly settings: StoreApi<SettingsState>;
  readonly editor: StoreApi<EditorState>;
  readonly whatIf: StoreApi<WhatIfState>;
  readonly notices: StoreApi<NoticesState>;
  readonly place: StoreApi<PlaceState>;
  readonly navigation: Navigation;
  readonly clock: Clock;
  /** Asks the system for a folder; null if none was chosen or it cannot ask. */
  chooseFolder(start: string): Promise<string | null>;
  /** Puts text on the system's clipboard and says so with `said`, or says why it could not. */
  copy(text: string, said: string): Promise<void>;
  /** Tells once that real content is on screen. */
  reportDrawn(): void;
};

/** What the stores need of the page besides the bridge. */
export type Surroundings = { now(): number; attention: Attention; memory: Memory; page: PageLife };

/** The beginning and the end of the page. */
export type PageLife = {
  /** Where an unsaved form outlives it. */
  readonly drafts: Memory;
  /** Calls when the page goes away. */
  onHide(listener: () => void): void;
  /** Asks before the window is closed by a person; false keeps it open. */
  onClosing(mayClose: () => boolean): void;
  close(): void;
};

export function createStores(bridge: Bridge, { now, attention, memory, page }: Surroundings): Stores {
  const place = createPlaceStore(memory);
  const editor = createEditorStore(bridge, attention, { memory: page.drafts, now, onHide: page.onHide });
  const navigation = createNavigation(bridge, place, editor);
  page.onClosing(() => navigation.mayClose(page.close));
  const notices = createNoticesStore();
  let isReported = false;
  return {
    jobs: createJobsStore(bridge, attention),
    job: createJobStore(bridge, attention),
    history: createHistoryStore(bridge, attention),
    attempts: createAttemptsStore(bridge),
    output: createOutputStore(bridge, attention),
    why: createWhyStore(bridge),
    pauses: createPausesStore(bridge, attention),
    status: createStatusStore(bridge, attention),
    rescue: createRescueStore(bridge, attention),
    data: createDataStore(bridge, attention),
    settings: createSettingsStore(bridge, attention),
    editor,
    whatIf: createWhatIfStore(bridge, editor, now),
    notices,
    place,
    navigation,
    clock: createClock(now, attention),
    copy: async (text, said) => {
      const reply = await bridge.request('clipboard.write', { text });
      notices.getState().show(reply.ok ? said : reply.error.message);
    },
    chooseFolder: async (start) => {
      const reply = await bridge.request('folders.choose', { start });
      return reply.ok ? reply.value : null;
    },
    reportDrawn: () => {
      if (isReported) return;
      isReported = true;
      void bridge.request('window.drawn', undefined);
    },
  };
}
