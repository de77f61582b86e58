/** How a view reads a store: it names the least it needs and is drawn again only when that changes. */
import { useStore } from 'zustand';
import type { StoreApi } from 'zustand/vanilla';

export const useSelected = <State, Part>(store: StoreApi<State>, select: (state: State) => Part): Part =>
  useStore(store, select);
