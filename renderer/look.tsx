/**
 * The window over an engine in memory, to look at in a browser: `look.html?scene=jobs&theme=dark`. For development only: no
 * production build has this entry.
 */
import './zodWithoutCodegen';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Input, RulePreview } from '../shared/ipc/contract';
import { emptyCommandSettings } from '../shared/kinds/command';
import { type Dates, everyDay } from '../shared/model/dates';
import type { JobId } from '../shared/model/job';
import type { ScheduleRule } from '../shared/model/schedule';
import type { Theme } from '../shared/model/settings';
import { fail } from '../shared/result';
import { parseCron } from '../shared/schedule/cron';
import { previewSchedule } from '../shared/schedule/preview';
import { HOUR_MS, toInstant } from '../shared/time';
import { App } from './app';
import { FakeEngine } from './fakeEngine';
import { addCopies, makeUnreadable, refuseStore, restoredReport } from './lookData';
import { at, LOOK_NOW } from './lookJobs';
import { addRetry, addWait, asleepRows, fullForm, pauseTag, skippedAnswer } from './lookPolicies';
import { cronRule, fillLookWorld } from './lookWorld';
import { emptyForm, formOf } from './store/jobForm';
import { createStores, type Stores } from './store/stores';
import './styles/all.css';
import { createTestPage } from './testEngine';

const preview = (rule: ScheduleRule, rowsMax: number, dates: Dates = everyDay): RulePreview => {
  const hostZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const result = previewSchedule(rule, LOOK_NOW, rowsMax, { hostZone }, dates);
  if (result.ok) return { valid: true, preview: result.value };
  const cron = rule.kind === 'cron' ? parseCron(rule.expression) : null;
  const mistakes = cron === null || cron.ok ? [] : [...cron.error];
  return { valid: false, message: result.error.message, mistakes };
};

const engine = new FakeEngine({ now: () => LOOK_NOW, preview });
const { bridge } = engine;
const query = new URLSearchParams(location.search);
const scene = query.get('scene') ?? 'jobs';
engine.settings = { ...engine.settings, theme: (query.get('theme') ?? 'system') as Theme };

const isEmpty = scene === 'empty';
const ids: ReadonlyMap<string, JobId> = isEmpty ? new Map() : fillLookWorld(engine);
const named = (name: string): JobId => ids.get(name) ?? ('' as JobId);

if (scene === 'loading') bridge.script('jobs.list', () => new Promise(() => undefined));
if (scene === 'failed')
  bridge.script('jobs.list', () => fail('internal', 'Something went wrong inside Belfry.'));
addCopies(engine);
refuseStore(engine, scene);
if (scene === 'full') {
  const problem =
    'Belfry cannot save: the disk is full. Nothing new is started; results since 14:02 are kept aside.';
  engine.setStatus({ problem });
}
if (scene === 'unreadable') {
  const one = engine.jobs.get(named('Sync photos to NAS'));
  if (one !== undefined) makeUnreadable(one);
}
if (scene === 'paused') engine.setStatus({ state: 'paused' });
if (scene === 'standby' || scene === 'takeover') {
  const holder = { pid: 4_121, since: at('03-11T08:02:00') };
  engine.setStatus({ state: 'standby', holder });
}

if (scene === 'many') {
  for (let number = engine.jobs.size; number < 4_096; number += 1)
    engine.addJob({ job: { name: `Job ${number}` } });
}
const retried = scene === 'retry' ? addRetry(engine, named('Sync photos to NAS')) : null;
if (scene === 'waits') addWait(engine, named('Back up notes'));
if (scene === 'tag') void pauseTag(engine);
if (scene === 'gap') {
  const gap = { cause: 'asleep', from: LOOK_NOW, to: LOOK_NOW, caughtUpCount: 3 } as const;
  const from = toInstant(LOOK_NOW - 9 * HOUR_MS);
  engine.setStatus({ lastGap: { ...gap, from, missedCount: 7, missedJobCount: 3 } });
}
if (scene === 'interrupted') {
  const one = engine.jobs.get(named('Sync photos to NAS'));
  if (one !== undefined) {
    one.job = { ...one.job, isEnabled: false, disabledReason: 'interrupted' };
    one.row = { ...one.row, isEnabled: false, disabledReason: 'interrupted', state: 'abandoned' };
  }
}
bridge.script('jobs.explain', () => ({ ok: true, value: skippedAnswer }));
bridge.script('preview.whatIf', ({ until }) => ({
  ok: true,
  value: { rows: asleepRows(named('Back up notes')), endsAt: toInstant(until), isCut: false },
}));
const lineOf = (settings: Input<'commands.check'>): string =>
  settings.kind === 'command' ? settings.line : '';
bridge.script('commands.check', (input) => ({
  ok: true,
  value: {
    programPath: lineOf(input).startsWith('restic') ? '~/bin/restic' : null,
    folder: '~',
    shell: '/bin/zsh',
    searchPath: [],
    warnings: lineOf(input).startsWith('restik')
      ? [{ path: 'line', text: 'restik was not found on this PATH. It would end with exit 127.' }]
      : [],
  },
}));

/** Brings the window to what the scene shows. */
function play(stores: Stores): void {
  const { place, editor } = stores;
  const select = (name: string): void => place.getState().select(ids.get(name) ?? null);
  const write = (expression: string, change: Partial<ReturnType<typeof emptyForm>> = {}): void => {
    const first = emptyForm().schedules[0];
    if (first === undefined) return;
    const base = engine.jobs.get(ids.get('Back up notes') as JobId);
    const form = { ...(base === undefined ? emptyForm() : formOf(base.job)), name: 'Prune old backups' };
    const rule = cronRule(expression);
    const cron = rule.kind === 'cron' ? rule : first.cron;
    place.getState().change({ place: 'editor' });
    editor.getState().openNew({ ...form, schedules: [{ ...first, cron }], ...change });
  };
  const tab = query.get('tab');
  if (tab === 'runs' || tab === 'log') place.getState().change({ tab });
  if (query.get('open') !== null) place.getState().change({ isDetailOpen: true });
  select(query.get('job') ?? 'Sync photos to NAS');
  if (scene === 'new') stores.navigation.newJob();
  if (scene === 'cron') write(query.get('expression') ?? '30 2 1,14 * 1-5');
  if (scene === 'mistake') {
    write('30 2 1,14 * 1-5');
    setTimeout(() => {
      editor.getState().edit('schedules.0.rule.expression', (form) => ({
        ...form,
        schedules: form.schedules.map((one) => ({
          ...one,
          cron: { ...one.cron, expression: '0,70 */2 * * mon#6' },
        })),
      }));
      editor.getState().leave('schedules.0.rule.expression');
    }, 300);
  }
  if (scene === 'interval' || scene === 'once') {
    const [first] = emptyForm().schedules;
    const once = { date: '2027-03-12', time: '09:00', zone: 'local' };
    if (first !== undefined) write('0 0 * * *', { schedules: [{ ...first, kind: scene, once }] });
  }
  if (scene === 'policies') {
    place.getState().change({ place: 'editor' });
    editor
      .getState()
      .openNew({ ...fullForm(emptyForm()), settings: { ...emptyCommandSettings, line: 'restic backup' } });
    stores.whatIf.getState().suppose({ kind: 'asleep' });
    const section = query.get('section') ?? 'when';
    setTimeout(() => document.querySelector(`[data-section="${section}"]`)?.scrollIntoView(), 400);
  }
  if (scene === 'after') {
    const [first] = emptyForm().schedules;
    const afterJob = { jobId: named('Dump shop DB'), on: 'succeeded' as const };
    if (first !== undefined) write('0 0 * * *', { schedules: [{ ...first, kind: 'after_job', afterJob }] });
  }
  if (scene === 'event') {
    const [first] = emptyForm().schedules;
    if (first !== undefined) write('0 0 * * *', { schedules: [{ ...first, kind: 'event' }] });
  }
  if (retried !== null) stores.attempts.getState().toggle(retried);
  if (scene === 'waits') select('Back up notes');
  if (scene === 'tag') select('Back up notes');
  if (scene === 'why')
    void stores.why.getState().ask(named('Back up notes'), 'Back up notes', skippedAnswer.plannedAt);
  if (scene === 'ask') {
    const scope = { kind: 'tag', tag: 'Backups' } as const;
    place.getState().change({ question: { ask: 'pause', scope, name: 'Backups' } });
  }
  if (scene === 'again') {
    const jobId = named('Dump shop DB');
    place.getState().change({
      question: { ask: 'run_again', jobId, name: 'Dump shop DB', canBeBeside: true },
    });
  }
  if (scene === 'data') place.getState().change({ question: { ask: 'data' } });
  if (scene === 'takeover')
    place.getState().change({ question: { ask: 'take_over', pid: 4_121, runningCount: 1 } });
  if (scene === 'report') stores.rescue.setState({ report: restoredReport });
  if (scene === 'unfixed') {
    stores.navigation.newJob();
    void editor.getState().save();
  }
}

const root = document.getElementById('root');
if (root === null) throw new Error('look.html has no element with the id "root"');
const stores = createStores(bridge, {
  now: () => LOOK_NOW,
  attention: { isHidden: () => false, onChange: () => () => undefined },
  // The note about the last sleep is a scene of its own.
  memory: {
    read: () => (scene === 'gap' ? null : JSON.stringify({ seenGapAt: LOOK_NOW })),
    write: () => undefined,
  },
  page: createTestPage(),
});
createRoot(root).render(
  <StrictMode>
    <App stores={stores} />
  </StrictMode>,
);
play(stores);
