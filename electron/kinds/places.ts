/** A limited number of places, given out in the order in which they were asked for. */

export interface Places {
  /** Resolves with how to leave (harmless twice), or with null when the signal came first. */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createPlaces(count: number): Places {
  let freeCount = count;
  const waiting = new Set<() => void>();

  const take = (): (() => void) => {
    freeCount -= 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      freeCount += 1;
      const [next] = waiting;
      next?.();
    };
  };

  return {
    enter: (signal) => {
      if (signal.aborted) return Promise.resolve(null);
      if (freeCount > 0) return Promise.resolve(take());
      return new Promise((resolve) => {
        const end = (isOurTurn: boolean): void => {
          waiting.delete(turn);
          signal.removeEventListener('abort', giveUp);
          resolve(isOurTurn ? take() : null);
        };
        const turn = (): void => end(true);
        const giveUp = (): void => end(false);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(turn);
      });
    },
  };
}
