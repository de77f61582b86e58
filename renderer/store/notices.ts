/**
 * What the window tells in passing: one toast at a time, and sentences for screen readers. An undo outlives its toast, so
 * that no time limit takes it away.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';

export type Notice = { readonly id: number; readonly text: string; readonly canUndo: boolean };
export type Announcement = { readonly id: number; readonly text: string; readonly isUrgent: boolean };

export type NoticesState = {
  readonly toast: Notice | null;
  readonly announcement: Announcement | null;
  /** Shows a toast. `undo` is what its button and the undo key do. */
  show(text: string, undo?: () => Promise<void>): void;
  dismiss(): void;
  /** Tells screen readers alone. `isUrgent` interrupts what they are saying. */
  say(text: string, isUrgent?: boolean): void;
  /** Does the newest undo that is left, once. Says whether there was one. */
  undo(): boolean;
};

export const UNDO_MAX = 50;

export function createNoticesStore(): StoreApi<NoticesState> {
  let nextId = 1;
  let undos: (() => Promise<void>)[] = [];
  return createStore<NoticesState>((set) => ({
    toast: null,
    announcement: null,
    show: (text, undo) => {
      if (undo !== undefined) undos = [...undos, undo].slice(-UNDO_MAX);
      set({
        toast: { id: nextId++, text, canUndo: undo !== undefined },
        announcement: { id: nextId++, text, isUrgent: false },
      });
    },
    dismiss: () => set({ toast: null }),
    say: (text, isUrgent = false) => set({ announcement: { id: nextId++, text, isUrgent } }),
    undo: () => {
      const last = undos.pop();
      if (last === undefined) return false;
      set({ toast: null });
      void last();
      return true;
    },
  }));
}
