/** What the window says when the store could not be opened, and afterwards. */
import type { RescueChoice } from '../../../shared/model/data';

const reportTitles: Readonly<Record<RescueChoice, string>> = {
  restore: 'The copy was put back',
  repair: 'Belfry’s data was repaired',
  start_empty: 'Belfry starts empty',
};

export const texts = {
  title: 'Belfry could not read its data',
  /** Belfry says so because a refusal never touches the file. */
  calm: 'No job is running, and nothing has been changed on disk.',
  calmActing: 'No job is running.',
  what: 'What happened',
  unknown: 'The reason is not known.',
  where: 'Where it lies',
  lastCopy: 'Last good copy',
  noCopy: 'There is none.',
  copyFacts: (when: string, holdings: string) => `${when}, ${holdings}.`,
  choices: {
    label: 'What to do',
    restore: (when: string) => `Go back to the copy from ${when}`,
    restoreNote:
      'What was changed or ran after it is lost. The file that could not be read is kept beside it.',
    repair: 'Try to repair',
    repairNote: 'Reads what it can into a new file. Can take a few minutes for a large history.',
    start_empty: 'Start empty',
    startEmptyNote: 'Without jobs and history. A copy can still be put back later.',
    which: 'Copy to go back to',
  },
  copyOption: (when: string, reason: string, rest: string) => `${when} · ${reason} · ${rest}`,
  cannotUse: 'This copy cannot be put back.',
  goOn: 'Continue',
  retry: 'Try again',
  retrying: 'Trying again…',
  stillRefused: 'Belfry tried again. It still could not read its data.',
  show: 'Show files',
  save: 'Save what is readable…',
  saving: 'Saving what is readable…',
  saved: (holdings: string, file: string, gapCount: number) =>
    gapCount === 0
      ? `Saved ${holdings} to ${file}.`
      : `Saved ${holdings} to ${file}. At ${gapCount} ${gapCount === 1 ? 'place' : 'places'} something could not be read.`,
  copy: 'Copy details',
  copied: 'Details copied.',
  quit: 'Quit',
  byHand: 'Mend the cause, then try again.',
  progress: {
    label: 'Progress',
    repair: 'Repairing…',
    restore: 'Putting the copy back…',
    start_empty: 'Starting empty…',
    saved: (holdings: string) => `${holdings} saved so far`,
    of: (saved: string, percent: number) => `${saved}, ${percent} % read`,
    wait: 'Please wait.',
    cancel: 'Cancel',
  },
  confirm: {
    title: 'Start without any jobs?',
    body: 'Belfry begins with an empty store. The file that could not be read stays beside it, and nothing runs until you add jobs or put a copy back.',
    yes: 'Start empty',
    no: 'Go back',
  },
  report: {
    titles: reportTitles,
    kept: 'The file from before is kept as',
    open: 'Open Belfry',
    close: 'Close',
  },
};
