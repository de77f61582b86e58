/** The output of one run: the running or latest one, or the one that was chosen in the history. */
import { Play } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { Run } from '../../../shared/model/run';
import { duration, elapsed, fullMoment, until } from '../../format';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { EmptyState } from '../../ui/emptyState';
import { Pill, type Tone } from '../../ui/pill';
import { hasMod, isTyping } from '../../ui/shortcut';
import { SkeletonRows } from '../../ui/skeleton';
import { Glyph, type GlyphName } from '../glyph';
import { useJobActions } from '../jobs/actions';
import { useNowNear, useStores } from '../stores';
import { endWord, glyphOfRun } from '../words';
import { LogView } from './logView';
import { texts } from './texts';

const words = texts.log;

export function LogTab({ detail }: { detail: JobDetail }) {
  const { output } = useStores();
  const run = useShownRun(detail);
  const openRunId = useSelected(output, (state) => state.runId);
  const hasTotals = useSelected(output, (state) => state.totals !== null);
  const failure = useSelected(output, (state) => state.failure);
  if (run === null) return <NeverRun detail={detail} />;
  const isHere = openRunId === run.id;
  return (
    <section className="log-tab" aria-label={words.name} onKeyDown={findHere}>
      <RunLine run={run} detail={detail} />
      {isHere && hasTotals ? (
        <LogView key={run.id} run={run} />
      ) : isHere && failure !== null ? (
        <EmptyState title={words.failed}>{failure.message}</EmptyState>
      ) : (
        <SkeletonRows label={words.name} stillLabel={texts.stillLoading} rows={6} className="skeleton-fact" />
      )}
    </section>
  );
}

/** In the log, the keys that look for something look for it in the log. */
function findHere(event: KeyboardEvent<HTMLElement>): void {
  // One step out at a time: from the field to the lines, and only from there to the list.
  if (event.key === 'Escape' && isTyping(event.target)) event.preventDefault();
  const isFind = hasMod(event) && event.key.toLowerCase() === 'f';
  if (!isFind && (event.key !== '/' || isTyping(event.target))) return;
  const field = event.currentTarget.querySelector<HTMLInputElement>('input');
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}

/** The chosen run as far as it is known: the detail has the newest ones, the history the others. */
function useShownRun(detail: JobDetail): Run | null {
  const { history, place } = useStores();
  const shownRunId = useSelected(place, (state) => state.shownRunId);
  const own = detail.activeRun ?? detail.latestRun;
  const chosen = useSelected(history, (state) =>
    state.entries?.find((entry) => entry.entry === 'run' && entry.run.id === shownRunId),
  );
  if (shownRunId === null || shownRunId === own?.id) return own;
  const recent = detail.recentRuns.find((run) => run.id === shownRunId);
  return (chosen?.entry === 'run' ? chosen.run : recent) ?? own;
}

function NeverRun({ detail }: { detail: JobDetail }) {
  const actions = useJobActions();
  const { job, upcoming } = detail;
  const [due] = upcoming;
  const now = useNowNear(due ?? null);
  return (
    <EmptyState
      title={due === undefined ? words.none : words.noneDue(until(due, now))}
      actions={
        <Button icon={Play} onPress={() => actions.run(job.id, job.name)}>
          {texts.run}
        </Button>
      }
    />
  );
}

const TONES: Readonly<Partial<Record<GlyphName, Tone>>> = {
  ok: 'ok',
  caught: 'ok',
  run: 'run',
  fail: 'fail',
  timeout: 'fail',
  interrupted: 'fail',
};

function RunLine({ run, detail }: { run: Run; detail: JobDetail }) {
  const { place } = useStores();
  const now = useNowNear(run.state === 'finished' ? null : run.startedAt);
  const latest = detail.activeRun ?? detail.latestRun;
  const glyph = glyphOfRun(run);
  const took =
    run.state === 'finished'
      ? run.durationMs === null
        ? ''
        : duration(run.durationMs)
      : run.startedAt === null
        ? words.waiting
        : words.running(elapsed(now - run.startedAt));
  return (
    <div className="log-run">
      <Pill tone={TONES[glyph] ?? 'idle'}>
        <Glyph name={glyph} size={11} isDecoration />
        {endWord(run)}
      </Pill>
      <span className="num ellipsis">
        {fullMoment(run.startedAt ?? run.queuedAt, now)}
        {took === '' ? '' : ` · ${took}`}
      </span>
      {run.id === latest?.id ? null : (
        <Button isSmall variant="quiet" onPress={() => place.getState().change({ shownRunId: null })}>
          {words.latest}
        </Button>
      )}
    </div>
  );
}
