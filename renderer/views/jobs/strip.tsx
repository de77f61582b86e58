/**
 * The last 30 runs of a job in one small drawing: one path for each state, so that a long list stays light. Failures hang
 * below the line, so that colour is never the only sign.
 */
import { memo } from 'react';
import { SPARK_SLOTS } from '../../../shared/model/job';
import { counted, listed } from '../../format';

const SLOT = 3.6;
const WIDTH = SLOT * SPARK_SLOTS;
const HEIGHT = 24;
const LINE = 17;
const BAR = 2.7;
const LEAST = 3.5;

type Mark = 's' | 'c' | 'f' | 't' | 'z' | 'x' | 'm' | 'k' | 'r';
type Slot = { readonly mark: Mark; readonly x: number; readonly height: number };

/** The newest slot stands at the right end. */
function slotsOf(spark: string): readonly Slot[] {
  const first = SPARK_SLOTS - spark.length / 2;
  return (spark.match(/../g) ?? []).map((pair, index) => ({
    mark: pair.charAt(0) as Mark,
    x: (first + index) * SLOT,
    height: LEAST + Number(pair.charAt(1)),
  }));
}

const RADIUS = 0.8;

/** A bar with soft corners from `top` to `bottom`. */
const bar = (x: number, top: number, bottom: number, width = BAR): string => {
  const r = Math.min(RADIUS, (bottom - top) / 2);
  const [side, rise] = [width - 2 * r, bottom - top - 2 * r];
  return `M${round(x + r)} ${round(top)}h${round(side)}a${r} ${r} 0 0 1 ${r} ${r}v${round(rise)}a${r} ${r} 0 0 1 -${r} ${r}h-${round(side)}a${r} ${r} 0 0 1 -${r} -${r}v-${round(rise)}a${r} ${r} 0 0 1 ${r} -${r}z`;
};
const round = (value: number): number => Math.round(value * 100) / 100;

const hollow = (x: number, height: number): string =>
  `M${round(x + 0.5)} ${round(LINE - 0.5 - height)}h2v${height}h-2z`;

type Layer = { readonly name: string; readonly path: string };

/** One path for each state that occurs. */
export function stripLayers(spark: string): readonly Layer[] {
  const slots = slotsOf(spark);
  const layer = (name: string, marks: string, draw: (slot: Slot) => string): Layer => ({
    name,
    path: slots
      .filter((slot) => marks.includes(slot.mark))
      .map(draw)
      .join(''),
  });
  const layers = [
    layer('ok', 'sc', ({ x, height }) => bar(x, LINE - height, LINE)),
    layer('fail', 'f', ({ x }) => bar(x, LINE - 13, LINE + 6)),
    layer('timeout', 't', ({ x }) => bar(x, LINE - 13, LINE + 7)),
    layer('interrupted', 'z', ({ x }) => `${bar(x, LINE - 13, LINE - 5)}${bar(x, LINE - 2, LINE + 6)}`),
    layer('missed', 'm', ({ x }) => hollow(x, 7)),
    layer(
      'caught',
      'c',
      ({ x, height }) => `M${round(x - 0.7)} ${round(LINE - height - 3.4)}l2.05-2.2 2.05 2.2-2.05 2.2z`,
    ),
    layer('skipped', 'k', ({ x }) => `M${round(x)} ${LINE - 1.5}h${BAR}v1.5h-${BAR}z`),
    layer('stopped', 'x', ({ x }) => `M${round(x)} ${LINE - 4.5}h${BAR}v4.5h-${BAR}z`),
    layer('running', 'r', ({ x }) => hollow(x, 11)),
  ];
  return layers.filter(({ path }) => path !== '');
}

const NAMES: Readonly<Record<Mark, string>> = {
  s: 'succeeded',
  c: 'caught up',
  f: 'failed',
  t: 'timed out',
  z: 'interrupted',
  x: 'stopped',
  m: 'missed',
  k: 'skipped',
  r: 'running',
};

/** `Last 30 runs: 24 succeeded, 5 failed and 1 skipped; last one failed`. */
export function stripSentence(spark: string): string {
  const slots = slotsOf(spark);
  const last = slots.at(-1);
  if (last === undefined) return 'No runs yet';
  const marks = Object.keys(NAMES) as Mark[];
  const parts = marks
    .map((mark) => [mark, slots.filter((slot) => slot.mark === mark).length] as const)
    .filter(([, total]) => total > 0)
    .map(([mark, total]) => `${total} ${NAMES[mark]}`);
  const head = slots.length === SPARK_SLOTS ? 'Last 30 runs' : `Last ${counted(slots.length, 'run')}`;
  return `${head}: ${listed(parts)}; last one ${NAMES[last.mark]}`;
}

/** A dot for each slot that has nothing yet. */
const emptyDots = (used: number): string =>
  Array.from(
    { length: SPARK_SLOTS - used },
    (_, index) => `M${round(index * SLOT + 1)} ${LINE - 1}h1v1h-1z`,
  ).join('');

export const Strip = memo(function Strip({ spark }: { spark: string }) {
  return (
    <svg
      className="strip"
      width={WIDTH + 2}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH + 2} ${HEIGHT}`}
      role="img"
      aria-label={stripSentence(spark)}
    >
      <path className="strip-line" d={`M0 ${LINE}h${WIDTH}v.75h-${WIDTH}z${emptyDots(spark.length / 2)}`} />
      {stripLayers(spark).map(({ name, path }) => (
        <path key={name} className={`strip-${name}`} d={path} />
      ))}
    </svg>
  );
});
