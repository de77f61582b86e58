/** The cells of a line of history: a run, or a due time that did not run. */
import { ChevronRight, CircleHelp } from 'lucide-react';
import type { Decision, Run } from '../../../shared/model/run';
import type { Instant } from '../../../shared/time';
import { counted, duration, elapsed, fullMoment, momentToSecond } from '../../format';
import { useSelected } from '../../store/select';
import { GridCell } from '../../ui/grid';
import { Icon } from '../../ui/icon';
import { Glyph } from '../glyph';
import { glyphOfSkip, skipSentence, skipWord } from '../skipWords';
import { useNow, useNowNear, useStores } from '../stores';
import { waitSentence } from '../waitWords';
import { attemptOf, endWord, glyphOfRun, isBad, whySentence, whyWord } from '../words';
import { partsWord } from './attemptRow';
import { texts } from './texts';
import { texts as whyTexts } from './whyTexts';

const words = texts.runs;

/** What is worth saying about a run: how it ended if that is news, else why it exists. */
function reasonWord(run: Run, now: Instant): string {
  if (run.state === 'queued') {
    const wait = run.waits.findLast(({ endedAt }) => endedAt === null);
    if (wait !== undefined) return waitSentence(wait, now);
    if (run.attemptCount > 0) return words.retrying(attemptOf(run.attemptCount + 1, run.attemptsMax));
  }
  return isBad(run) || run.outcome === 'cancelled' ? endWord(run) : whyWord(run);
}

export function RunCells({ run }: { run: Run }) {
  const now = useNow('minute');
  const begun = run.startedAt ?? run.queuedAt;
  return (
    <>
      <GridCell className="run-state">
        <Glyph name={glyphOfRun(run)} size={14} />
      </GridCell>
      <GridCell className="num ellipsis" title={fullMoment(begun, now)}>
        {momentToSecond(begun, now)}
      </GridCell>
      <GridCell className="run-took num">
        {run.state === 'finished' ? <Took run={run} /> : <Going run={run} />}
      </GridCell>
      <GridCell className={`ellipsis${isBad(run) ? ' tone-fail' : ''}`} title={whySentence(run, now)}>
        <span className="run-why-text">
          <PartsToggle run={run} />
          <span className="ellipsis">{reasonWord(run, now)}</span>
        </span>
      </GridCell>
    </>
  );
}

const Took = ({ run }: { run: Run }) => (run.durationMs === null ? null : duration(run.durationMs));

function Going({ run }: { run: Run }) {
  const now = useNowNear(run.startedAt);
  return run.startedAt === null || run.state !== 'running' ? null : elapsed(now - run.startedAt);
}

export function SkipCells({ decision }: { decision: Decision }) {
  const now = useNow('minute');
  const isRange = decision.count > 1;
  const text = isRange ? `${skipWord(decision)}, ${counted(decision.count, 'due time')}` : skipWord(decision);
  const title = isRange
    ? `${words.range(
        counted(decision.count, 'due time'),
        fullMoment(decision.plannedAt, now),
        fullMoment(decision.untilAt, now),
      )}. ${skipSentence(decision)}`
    : `${fullMoment(decision.plannedAt, now)}. ${skipSentence(decision)}`;
  return (
    <>
      <GridCell className="run-state">
        <Glyph name={glyphOfSkip(decision)} size={14} />
      </GridCell>
      <GridCell className="num ellipsis" title={title}>
        {momentToSecond(decision.plannedAt, now)}
      </GridCell>
      <GridCell className="run-took">{null}</GridCell>
      <GridCell className="ellipsis" title={title}>
        {text}
      </GridCell>
    </>
  );
}

/** Unfolds the tries and waits of a run. The arrow keys of its row do the same. */
function PartsToggle({ run }: { run: Run }) {
  const { attempts } = useStores();
  const isOpen = useSelected(attempts, (state) => state.byRun.has(run.id));
  const parts = partsWord(run);
  if (parts === null) return null;
  return (
    <button
      type="button"
      className="run-tries"
      tabIndex={-1}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation();
        attempts.getState().toggle(run.id);
      }}
    >
      <Icon of={ChevronRight} size={12} />
      {parts}
    </button>
  );
}

/** `isStop`: the row is the one that Tab leads to, and its button is the stop after it. */
export function AskCell({ onAsk, isStop }: { onAsk: () => void; isStop: boolean }) {
  return (
    <GridCell>
      <button
        type="button"
        className="run-why"
        aria-label={whyTexts.why}
        title={whyTexts.why}
        tabIndex={isStop ? 0 : -1}
        onClick={(event) => {
          event.stopPropagation();
          onAsk();
        }}
      >
        <Icon of={CircleHelp} size={14} />
      </button>
    </GridCell>
  );
}
