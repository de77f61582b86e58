/**
 * The two questions that Belfry asks outside its window, in the system's own dialog: what happens to running jobs on
 * quitting, and whether to go on where no tray icon can be shown. The safe answer is what closing the dialog means.
 */

import type { Dialog, MessageBoxOptions } from 'electron';

export type QuitAnswer = 'leave' | 'stop' | 'stay';
export type Question<A> = { readonly box: MessageBoxOptions; readonly answers: readonly A[] };

/** `runningCount` is at least 1. On Windows a run ends with Belfry, so leaving it running is not offered there. */
export function quitQuestion(runningCount: number, platform: string): Question<QuitAnswer> {
  const isOne = runningCount === 1;
  const message = isOne
    ? 'Quit Belfry while 1 job is running?'
    : `Quit Belfry while ${runningCount} jobs are running?`;
  const stop = isOne ? 'Stop it and quit' : 'Stop them and quit';
  if (platform === 'win32') {
    const detail = isOne ? 'It is stopped when Belfry quits.' : 'They are stopped when Belfry quits.';
    return ask(message, detail, [
      ['stop', stop],
      ['stay', 'Stay'],
    ]);
  }
  const detail = isOne
    ? 'It can go on without Belfry; its result is picked up next time.'
    : 'They can go on without Belfry; their results are picked up next time.';
  return ask(message, `${detail} Due times are missed until you open Belfry again.`, [
    ['leave', isOne ? 'Quit, leave it running' : 'Quit, leave them running'],
    ['stop', stop],
    ['stay', 'Stay'],
  ]);
}

export const noTrayQuestion: Question<'keep' | 'quit'> = ask(
  'Your desktop shows no tray icons, so Belfry cannot hide there.',
  'Closing the window keeps jobs running; start Belfry again to reopen it.',
  [
    ['quit', 'Quit'],
    ['keep', 'Keep running'],
  ],
);

/** The last answer is the safe one: it has the focus, and closing the dialog means it. */
function ask<A>(
  message: string,
  detail: string,
  choices: readonly (readonly [answer: A, label: string])[],
): Question<A> {
  const safe = choices.length - 1;
  return {
    answers: choices.map(([answer]) => answer),
    box: {
      type: 'question',
      title: 'Belfry',
      message,
      detail,
      buttons: choices.map(([, label]) => label),
      defaultId: safe,
      cancelId: safe,
      noLink: true,
    },
  };
}

/** Shows a question until it is answered or `signal` takes it back, which counts as the safe answer. */
export async function showQuestion<A>(
  dialog: Pick<Dialog, 'showMessageBox'>,
  { box, answers }: Question<A>,
  signal?: AbortSignal,
): Promise<A> {
  const { response } = await dialog.showMessageBox({ ...box, ...(signal === undefined ? {} : { signal }) });
  return (answers[response] ?? answers.at(-1)) as A;
}
