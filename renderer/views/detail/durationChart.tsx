/**
 * How long the last runs took: bars over a line, failures hanging below it, and the median as a dashed line. The bars are
 * one stop for the keyboard: arrows move, Enter opens the run, W asks why it ran.
 */
import { type KeyboardEvent, useRef, useState } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import { type Job, SPARK_SLOTS } from '../../../shared/model/job';
import type { Run } from '../../../shared/model/run';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/time';
import { counted, duration, fullMoment } from '../../format';
import { useNow, useStores } from '../stores';
import { endWord, isBad } from '../words';
import { texts } from './texts';

const words = texts.duration;

const WIDTH = 372;
const GUTTER = 48;
const HEIGHT = 74;
const LINE = 52;
const TOP = 10;
const PLOT = WIDTH - GUTTER;
const HANG = 10;
/** One slot of thirty. Fewer runs leave the left side empty, so that the newest always stands in the same place. */
const PITCH = PLOT / SPARK_SLOTS;

const STEPS_MS = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((value) => value * SECOND_MS),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((value) => value * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((value) => value * HOUR_MS),
  ...[1, 2, 5, 10].map((value) => value * DAY_MS),
];

/** A bar may rise this much above the upper guide, so that 4 min 2 s does not need a scale to 6 min. */
const OVERSHOOT = 1.1;

/** Two guides at round values, the upper one about as high as the longest bar. */
export function scaleOf(longestMs: number): { readonly topMs: number; readonly guidesMs: readonly number[] } {
  const step =
    STEPS_MS.find((value) => value * 2 * OVERSHOOT >= longestMs) ??
    Math.ceil(longestMs / 2 / DAY_MS) * DAY_MS;
  return { topMs: step * 2, guidesMs: [0, step, step * 2] };
}

/** A round value without needless decimals: `0`, `0.5 s`, `2 min`. */
const guideText = (ms: number): string => (ms === 0 ? '0' : duration(ms).replace('.0 s', ' s'));

export function DurationChart({ detail }: { detail: JobDetail }) {
  const { recentRuns, medianMs } = detail;
  if (recentRuns.length === 0) return null;
  const runs = counted(recentRuns.length, 'run');
  return (
    <div>
      <h3 className="detail-section">
        {words.title}
        <span className="detail-aside num">
          {medianMs === null ? words.few(runs) : words.median(duration(medianMs), runs)}
        </span>
      </h3>
      <Chart job={detail.job} runs={recentRuns} medianMs={medianMs} />
    </div>
  );
}

type ChartProps = { job: Job; runs: readonly Run[]; medianMs: number | null };

function Chart({ job, runs, medianMs }: ChartProps) {
  const { place, why } = useStores();
  const now = useNow('minute');
  const bars = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState(runs.length - 1);
  const stop = Math.min(at, runs.length - 1);
  const longest = Math.max(1, medianMs ?? 0, ...runs.map((run) => run.durationMs ?? 0));
  const { topMs, guidesMs } = scaleOf(longest);
  const y = (ms: number): number => LINE - (ms / topMs) * (LINE - TOP);
  const open = (run: Run): void => place.getState().change({ tab: 'log', shownRunId: run.id });
  const move = (event: KeyboardEvent, index: number): void => {
    const run = runs[index];
    if (event.key === 'w' && run !== undefined) {
      event.preventDefault();
      void why.getState().ask(job.id, job.name, run.plannedAt ?? run.startedAt ?? run.queuedAt);
      return;
    }
    const to = event.key === 'ArrowLeft' ? index - 1 : event.key === 'ArrowRight' ? index + 1 : -1;
    const bar = bars.current?.querySelectorAll<SVGGElement>('[role="button"]')[to];
    if (bar === undefined) return;
    event.preventDefault();
    setAt(to);
    bar.focus();
  };
  const median = medianMs === null ? words.none : duration(medianMs);
  return (
    <svg
      ref={bars}
      className="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label={words.name(counted(runs.length, 'run'), median)}
    >
      {guidesMs.map((ms) => (
        <g key={ms}>
          <path className={ms === 0 ? 'chart-line' : 'chart-guide'} d={`M0 ${y(ms) + 0.5}H${PLOT}`} />
          <text className="chart-label" x={PLOT + 8} y={y(ms) + 4}>
            {guideText(ms)}
          </text>
        </g>
      ))}
      {runs.map((run, index) => (
        <Bar
          key={run.id}
          run={run}
          x={PLOT - (runs.length - index) * PITCH}
          top={y(run.durationMs ?? 0)}
          label={words.bar(
            fullMoment(run.startedAt ?? run.queuedAt, now),
            endWord(run),
            duration(run.durationMs ?? 0),
          )}
          isStop={index === stop}
          onOpen={() => open(run)}
          onKeyDown={(event) => move(event, index)}
        />
      ))}
      {medianMs === null ? null : <path className="chart-median" d={`M0 ${y(medianMs) + 0.5}H${PLOT}`} />}
    </svg>
  );
}

type BarProps = {
  run: Run;
  x: number;
  top: number;
  label: string;
  isStop: boolean;
  onOpen: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

function Bar({ run, x, top, label, isStop, onOpen, onKeyDown }: BarProps) {
  const bar = PITCH - 3;
  const left = x + 1;
  const middle = left + bar / 2;
  const bad = isBad(run);
  const height = Math.max(1.5, LINE - top);
  return (
    <g
      role="button"
      className="chart-bar"
      tabIndex={isStop ? 0 : -1}
      aria-label={label}
      onClick={onOpen}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          onOpen();
        } else onKeyDown(event);
      }}
    >
      <title>{label}</title>
      <rect className="chart-hit" x={x} y={0} width={PITCH} height={HEIGHT} />
      {bad ? (
        <>
          <rect
            className="chart-bad"
            x={left}
            y={Math.min(top, LINE - 4)}
            width={bar}
            height={Math.max(height, 4) + HANG}
            rx={1.5}
          />
          <path className="chart-cross" d={`M${middle - 2.3} ${LINE + HANG + 3.5}l4.6 4.6m0-4.6l-4.6 4.6`} />
        </>
      ) : (
        <rect
          className={run.outcome === 'cancelled' ? 'chart-stopped' : 'chart-ok'}
          x={left}
          y={LINE - height}
          width={bar}
          height={height}
          rx={1.5}
        />
      )}
      {run.trigger === 'catch_up' ? (
        <path className="chart-caught" d={`M${middle} ${Math.max(1, top - 11)}l4 4-4 4-4-4z`} />
      ) : null}
    </g>
  );
}
