import { expect, test } from 'vitest';
import { noTrayQuestion, quitQuestion, showQuestion } from './questions';

test('quitting with one run active asks in these words', () => {
  const { box, answers } = quitQuestion(1, 'linux');
  expect(box).toMatchObject({
    message: 'Quit Belfry while 1 job is running?',
    detail:
      'It can go on without Belfry; its result is picked up next time. Due times are missed until you open Belfry again.',
    buttons: ['Quit, leave it running', 'Stop it and quit', 'Stay'],
  });
  expect(answers).toEqual(['leave', 'stop', 'stay']);
});

test('speaks of several runs in the plural', () => {
  expect(quitQuestion(2, 'darwin').box).toMatchObject({
    message: 'Quit Belfry while 2 jobs are running?',
    buttons: ['Quit, leave them running', 'Stop them and quit', 'Stay'],
  });
});

test('does not offer on Windows to leave a run going, since it cannot', () => {
  expect(quitQuestion(1, 'win32').answers).toEqual(['stop', 'stay']);
});

test('closing a question, and taking it back, mean the safe answer', async () => {
  for (const question of [quitQuestion(1, 'linux'), noTrayQuestion]) {
    const safe = question.box.cancelId ?? -1;
    expect(question.box.defaultId).toBe(safe);
    const closed = { showMessageBox: async () => ({ response: safe, checkboxChecked: false }) };
    expect(await showQuestion<string>(closed, question)).toMatch(/^(stay|keep)$/);
    const lost = { showMessageBox: async () => ({ response: 99, checkboxChecked: false }) };
    expect(await showQuestion<string>(lost, question)).toMatch(/^(stay|keep)$/);
  }
});
