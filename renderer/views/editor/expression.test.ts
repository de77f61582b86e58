import { expect, test } from 'vitest';
import { NOW } from '../../testEngine';
import { boxesOf, crontabLineOf, hasFixedTime, runsOf, tokensOf, wholeOf, withToken } from './expression';
import { readyTimes, wallTime } from './intervalFields';
import { readVariables } from './rowFields';

test('a box rewrites its own piece and leaves every other character alone', () => {
  const typed = '05  4\tL * MON#2';
  expect(withToken(typed, 0, '30')).toBe('30  4\tL * MON#2');
  expect(withToken(typed, 4, 'FRIL')).toBe('05  4\tL * FRIL');
  expect(withToken(typed, 1, '4')).toBe(typed);
});

test('five fields pasted into one box fill all five', () => {
  expect(withToken('0 9 * * *', 2, ' 30 2 1,14 * 1-5 ')).toBe('30 2 1,14 * 1-5');
});

test('a field that was not there yet is added, with stars for the ones before it', () => {
  expect(withToken('', 0, '30')).toBe('30 * * * *');
  expect(withToken('30 2', 4, '1-5')).toBe('30 2 * * 1-5');
});

test('six pieces begin with seconds, and a word has a box of its own', () => {
  expect(boxesOf('*/2 * * * * *')[0]).toBe('second');
  expect(boxesOf('@daily')).toEqual(['word']);
  expect(boxesOf('0 9')).toHaveLength(5);
  expect(tokensOf(' 0  9 ')).toEqual([
    { start: 1, text: '0' },
    { start: 4, text: '9' },
  ]);
});

test('the time is fixed without stars, question marks and steps in second, minute and hour (D6)', () => {
  const fixed = ['30 2 * * *', '0,30 9-17 * * 1-5', '0 0 0 1 * *', '@daily'];
  const frequent = ['* 2 * * *', '0 */2 * * *', '0/15 9 * * *', '*/5 0 0 * * *', '@hourly', '', '0 9'];
  expect(fixed.map(hasFixedTime)).toEqual(fixed.map(() => true));
  expect(frequent.map(hasFixedTime)).toEqual(frequent.map(() => false));
});

test('mistakes are marked at their columns, in the colour of their field', () => {
  expect(runsOf('0,70 * * * *', [{ start: 2, length: 2 }]).slice(0, 3)).toEqual([
    { start: 0, text: '0,', box: 'minute', isWrong: false },
    { start: 2, text: '70', box: 'minute', isWrong: true },
    { start: 4, text: ' ', box: null, isWrong: false },
  ]);
});

test('text of a .env file reads into rows', () => {
  expect(readVariables('# keys\nexport A=1\nB="two words"\n\nnot a line\nC=')).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: 'two words' },
    { name: 'C', value: '' },
  ]);
});

test('the ready-made moments are on the calendar of the zone', () => {
  expect(wallTime(NOW, 'Asia/Tokyo')).toEqual({ date: '2027-03-11', time: '23:14' });
  const times = readyTimes(NOW, 'Asia/Tokyo');
  expect(times.map(({ id, date, time }) => `${id} ${date} ${time}`)).toEqual([
    'quarter 2027-03-11 23:30',
    'hour 2027-03-12 00:15',
    'tonight 2027-03-11 20:00',
    'tomorrow 2027-03-12 09:00',
    'monday 2027-03-15 09:00',
  ]);
});

test.each([
  ['0 3 * * 0 restic forget', { schedule: '0 3 * * 0', command: 'restic forget' }],
  ['30 2 * jan MON-FRI  true', { schedule: '30 2 * jan MON-FRI', command: 'true' }],
  ['@daily df -h', { schedule: '@daily', command: 'df -h' }],
  ['0 3 * * * date +\\%F', { schedule: '0 3 * * *', command: 'date +%F' }],
  ['0 3 * * 0', null],
  ['0 0 12 ? * MON-FRI *', null],
  ['0 0 3 * * 0', null],
  ['@daily', null],
])('a line of a crontab is told from an expression: %s', (text, line) => {
  expect(crontabLineOf(text)).toEqual(line);
});

test('a schedule that is pasted whole is told from a piece', () => {
  expect(wholeOf(' 0 3 * * 0\n')).toBe('0 3 * * 0');
  expect(wholeOf('@daily')).toBe('@daily');
  expect(wholeOf('*/5')).toBeNull();
});
