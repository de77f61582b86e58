/** The rows under an unfolded run: each try with its end, and what it waited for before. */
import type { Wait } from '../../../shared/model/condition';
import type { Attempt, Run } from '../../../shared/model/run';
import { counted, duration, exitCode, fullMoment, momentToSecond } from '../../format';
import { GridCell } from '../../ui/grid';
import { Glyph } from '../glyph';
import { useNow } from '../stores';
import { waitedSentence } from '../waitWords';
import { endSentence, endWord, glyphOfRun } from '../words';
import { texts } from './texts';

const words = texts.attempts;

/** What there is to unfold under a run: `3 tries`, or null. */
export function partsWord({ attemptCount, waits }: Run): string | null {
  if (attemptCount > 1) return counted(attemptCount, 'try', 'tries');
  return waits.length > 0 ? words.waited : null;
}

/** The attempt as a run that ended like it, so that both are said in the same words. */
const asRun = (run: Run, attempt: Attempt): Run => ({
  ...run,
  state: attempt.endedAt === null ? 'running' : 'finished',
  trigger: run.trigger === 'catch_up' ? 'schedule' : run.trigger,
  outcome: attempt.outcome,
  reason: attempt.reason,
  detail: null,
  exitCode: attempt.exitCode,
  signal: attempt.signal,
  durationMs: attempt.endedAt === null ? null : attempt.endedAt - attempt.startedAt,
});

/** `told later: exit 0`. */
function lateWord({ lateResult }: Attempt): string {
  if (lateResult === null) return '';
  const { exitCode: code, signal } = lateResult;
  const end = code !== null ? exitCode(code) : (signal ?? words.unknownEnd);
  return words.late(end.charAt(0).toLowerCase() + end.slice(1));
}

export function AttemptCells({ run, attempt }: { run: Run; attempt: Attempt }) {
  const now = useNow('minute');
  const one = asRun(run, attempt);
  const late = lateWord(attempt);
  const told =
    attempt.lateResult === null ? '' : ` ${words.lateTitle(fullMoment(attempt.lateResult.endedAt, now))}`;
  return (
    <>
      <GridCell className="run-state">
        <Glyph name={glyphOfRun(one)} size={12} />
      </GridCell>
      <GridCell className="num ellipsis" title={fullMoment(attempt.startedAt, now)}>
        {momentToSecond(attempt.startedAt, now)}
      </GridCell>
      <GridCell className="run-took num">
        {one.durationMs === null ? null : duration(one.durationMs)}
      </GridCell>
      <GridCell className="ellipsis" title={`${endSentence(one)}${told}`}>
        {words.number(attempt.number)} {endWord(one)}
        {late}
      </GridCell>
      <GridCell>{null}</GridCell>
    </>
  );
}

export function WaitCells({ wait }: { wait: Wait }) {
  const now = useNow('minute');
  const sentence = waitedSentence(wait, now);
  return (
    <>
      <GridCell className="run-state">
        <Glyph name="due" size={12} isDecoration />
      </GridCell>
      <GridCell className="num ellipsis" title={fullMoment(wait.since, now)}>
        {momentToSecond(wait.since, now)}
      </GridCell>
      <GridCell className="run-took num">
        {wait.endedAt === null ? null : duration(wait.endedAt - wait.since)}
      </GridCell>
      <GridCell className="ellipsis" title={sentence}>
        {sentence}
      </GridCell>
      <GridCell>{null}</GridCell>
    </>
  );
}
