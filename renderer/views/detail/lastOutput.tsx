/** The last lines a job wrote, and how it ended. The log has the rest. */
import { useEffect } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { OutputLine } from '../../../shared/model/output';
import { clockTimeExact, counted, UNKNOWN } from '../../format';
import { lineAt } from '../../store/output';
import { useSelected } from '../../store/select';
import { useStores } from '../stores';
import { endSentence, isBad } from '../words';
import { LogText } from './logLine';
import { texts } from './texts';

const SHOWN_LINES = 4;
const words = texts.output;

export function LastOutput({ detail }: { detail: JobDetail }) {
  const { output } = useStores();
  const run = detail.activeRun ?? detail.latestRun;
  const openRunId = useSelected(output, (state) => state.runId);
  const totals = useSelected(output, (state) => state.totals);
  const pieces = useSelected(output, (state) => state.pieces);
  const lineCount = totals?.lineCount ?? 0;
  useEffect(() => {
    if (lineCount > 0 && pieces !== undefined) output.getState().need(lineCount - SHOWN_LINES, lineCount - 1);
  }, [output, lineCount, pieces]);
  if (run === null || openRunId !== run.id || totals === null) return null;
  const first = Math.max(0, lineCount - SHOWN_LINES + (run.state === 'finished' ? 1 : 0));
  const numbers = Array.from({ length: lineCount - first }, (_, index) => first + index);
  const errors = totals.stderrLineCount;
  return (
    <div>
      <h3 className="detail-section">
        {words.title}
        <span className="detail-aside num">
          {errors === 0 ? null : <span className="tone-fail">{counted(errors, 'error line')} · </span>}
          {counted(lineCount, 'line')}
        </span>
      </h3>
      <ol className="last-output" aria-label={words.name}>
        {numbers.map((number) => (
          <OutputRow key={number} line={lineAt(output.getState(), number)} />
        ))}
        {lineCount === 0 ? <li className="last-output-note">{words.none}</li> : null}
        {run.state === 'finished' ? (
          <li className={`last-output-line last-output-end${isBad(run) ? ' tone-fail' : ''}`}>
            <span className="num">{run.endedAt === null ? UNKNOWN : clockTimeExact(run.endedAt)}</span>
            <span />
            <span className="ellipsis" title={endSentence(run)}>
              {endSentence(run)}
            </span>
          </li>
        ) : null}
      </ol>
    </div>
  );
}

function OutputRow({ line }: { line: OutputLine | undefined }) {
  const isError = line?.stream === 'stderr';
  return (
    <li className={`last-output-line${isError ? ' log-error' : ''}`}>
      <span className="num">
        {line === undefined || line.at === null ? UNKNOWN : clockTimeExact(line.at)}
      </span>
      <span className="log-mark">
        {isError ? (
          <>
            <span aria-hidden="true">!</span>
            <span className="sr">{texts.log.error}</span>
          </>
        ) : null}
      </span>
      <span className="ellipsis">{line === undefined ? null : <LogText text={line.text} />}</span>
    </li>
  );
}
