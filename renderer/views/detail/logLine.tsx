/** Lines of a log as they are drawn: number, time, a mark for the error stream, and the text in its colours. */
import { memo, type ReactNode } from 'react';
import type { OutputLine } from '../../../shared/model/output';
import { clockTimeExact, count, UNKNOWN } from '../../format';
import { ansiPieces, type Piece } from '../../ui/ansi';
import { texts } from './texts';

/** A piece of text with what was searched for marked in it. `sought` is in lower case. */
function marked(piece: Piece, sought: string, isCurrent: boolean): ReactNode {
  if (sought === '') return piece.text;
  const parts: ReactNode[] = [];
  const lower = piece.text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, from)) {
    parts.push(piece.text.slice(from, at));
    parts.push(
      <mark key={at} className={isCurrent ? 'log-found log-found-now' : 'log-found'}>
        {piece.text.slice(at, at + sought.length)}
      </mark>,
    );
    from = at + sought.length;
  }
  parts.push(piece.text.slice(from));
  return parts;
}

type TextProps = { text: string; sought?: string; isCurrent?: boolean };

/** The text of a line in its colours. */
export function LogText({ text, sought = '', isCurrent = false }: TextProps) {
  return ansiPieces(text).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no identity but their place
    <span key={index} className={piece.className}>
      {marked(piece, sought, isCurrent)}
    </span>
  ));
}

type LogLineProps = {
  number: number;
  line: OutputLine | undefined;
  hasTime: boolean;
  sought: string;
  isCurrent: boolean;
};

export const LogLine = memo(function LogLine({ number, line, hasTime, sought, isCurrent }: LogLineProps) {
  const isError = line?.stream === 'stderr';
  return (
    <div className={`log-line${isError ? ' log-error' : ''}`}>
      <span className="log-number num">{count(number + 1)}</span>
      {hasTime ? (
        <span className="log-time num">
          {line === undefined || line.at === null ? UNKNOWN : clockTimeExact(line.at)}
        </span>
      ) : null}
      <span className="log-mark">{isError ? texts.log.error : ''}</span>
      <span className="log-text">
        {line === undefined ? null : <LogText text={line.text} sought={sought} isCurrent={isCurrent} />}
      </span>
    </div>
  );
});
