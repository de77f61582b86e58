/** Output of a run as the window reads it: windows over lines, never the whole. */
import { z } from 'zod';
import { Instant } from '../time';

export const OUTPUT_LINES_MAX = 2_000;
/** A longer line is handed out in pieces of this many characters, so that one 20 MB line cannot stop the window. */
export const LINE_LENGTH_MAX = 4_000;

export const OutputLine = z.strictObject({
  /** Zero-based, over both streams in order of arrival. */
  number: z.number().int(),
  stream: z.enum(['stdout', 'stderr']),
  /** When Belfry saw the line arrive; null if it was not running then. */
  at: Instant.nullable(),
  text: z.string(),
  /** The line goes on in the next one: it was longer than LINE_LENGTH_MAX, or is not finished yet. */
  isPartial: z.boolean(),
});
export type OutputLine = z.output<typeof OutputLine>;

export const OutputPage = z.strictObject({
  lines: z.array(OutputLine),
  lineCount: z.number().int(),
  byteCount: z.number().int(),
  /** Bytes that the cap of 16 MiB per stream cut from the middle. */
  droppedBytes: z.number().int(),
  /** The line number before which the cut lies; null without a cut. */
  droppedBefore: z.number().int().nullable(),
  stderrLineCount: z.number().int(),
  isLive: z.boolean(),
});
export type OutputPage = z.output<typeof OutputPage>;
