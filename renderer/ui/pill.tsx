/** A state in a word, tinted. The text is always there: the tint alone says nothing. */
import type { ReactNode } from 'react';

export type Tone = 'ok' | 'fail' | 'warn' | 'run' | 'idle';

export function Pill({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`pill pill-${tone}`}>{children}</span>;
}
