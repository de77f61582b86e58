/**
 * Status glyphs and the bell, as one sprite. Circle: it ran. Diamond: a due time was not met on time. Square: a person
 * stopped it. Bars: paused. Shape says it all, so that colour is never needed.
 */
import type { JobState } from '../../shared/model/job';
import { texts } from './texts';

export type GlyphName =
  | 'ok'
  | 'run'
  | 'fail'
  | 'timeout'
  | 'interrupted'
  | 'retry'
  | 'missed'
  | 'caught'
  | 'skipped'
  | 'stopped'
  | 'paused'
  | 'never'
  | 'due';

export const glyphOfState: Readonly<Record<JobState, GlyphName>> = {
  succeeded: 'ok',
  running: 'run',
  failed: 'fail',
  timed_out: 'timeout',
  abandoned: 'interrupted',
  missed: 'missed',
  caught_up: 'caught',
  skipped: 'skipped',
  cancelled: 'stopped',
  paused: 'paused',
  never_run: 'never',
};

/** Mounted once; every glyph on screen refers to it. */
export function GlyphSprite() {
  return (
    <svg className="sprite" aria-hidden="true" focusable="false">
      <title>{texts.app.name}</title>
      <RanGlyphs />
      <OtherGlyphs />
      <symbol id="glyph-bell" viewBox="0 0 18 18">
        <path
          className="bell-body"
          d="M9 2.2a1 1 0 0 1 1 1v.35a4.6 4.6 0 0 1 3.6 4.5c0 2.7.65 3.9 1.6 4.75.45.4.2 1.1-.4 1.1H3.2c-.6 0-.85-.7-.4-1.1.95-.85 1.6-2.05 1.6-4.75a4.6 4.6 0 0 1 3.6-4.5V3.2a1 1 0 0 1 1-1z"
        />
        <path className="bell-line" d="M7.4 15.6a1.8 1.8 0 0 0 3.2 0" />
        <path className="bell-waves" d="M2 8.2A7 7 0 0 1 4.2 3.3M16 8.2a7 7 0 0 0-2.2-4.9" />
      </symbol>
    </svg>
  );
}

function RanGlyphs() {
  return (
    <>
      <symbol id="glyph-ok" viewBox="0 0 16 16">
        <circle className="g-ok" cx="8" cy="8" r="5.75" strokeWidth="1.5" />
        <path className="g-ok" d="M5.4 8.2l1.8 1.8 3.5-3.9" strokeWidth="1.6" />
      </symbol>
      <symbol id="glyph-run" viewBox="0 0 16 16">
        <circle className="g-run g-faint" cx="8" cy="8" r="5.75" strokeWidth="1.8" />
        <path className="g-run spin" d="M8 2.25a5.75 5.75 0 0 1 5.75 5.75" strokeWidth="2" />
        <path className="g-run-fill" d="M6.7 5.7v4.6L10.4 8z" />
      </symbol>
      <symbol id="glyph-fail" viewBox="0 0 16 16">
        <circle className="g-fail-fill" cx="8" cy="8" r="6.5" />
        <path className="g-white" d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" strokeWidth="1.7" />
      </symbol>
      <symbol id="glyph-timeout" viewBox="0 0 16 16">
        <circle className="g-fail-fill" cx="8" cy="8" r="6.5" />
        <path className="g-white" d="M8 4.8V8l2.2 1.6" strokeWidth="1.6" />
      </symbol>
      <symbol id="glyph-interrupted" viewBox="0 0 16 16">
        <path
          className="g-fail"
          d="M8 2.3A5.7 5.7 0 0 1 13.7 8M8 13.7A5.7 5.7 0 0 1 2.3 8"
          strokeWidth="1.6"
        />
        <path className="g-fail" d="M8.8 4.5 6.5 8.3h3L7.2 11.5" strokeWidth="1.5" />
      </symbol>
      <symbol id="glyph-retry" viewBox="0 0 16 16">
        <path className="g-warn" d="M13.4 6.2A5.75 5.75 0 1 0 13.75 8" strokeWidth="1.5" />
        <path className="g-warn" d="M13.9 2.9v3.5h-3.5" strokeWidth="1.5" />
        <circle className="g-warn" cx="8" cy="8" r="0.9" strokeWidth="1.4" />
      </symbol>
      <symbol id="glyph-skipped" viewBox="0 0 16 16">
        <circle className="g-idle" cx="8" cy="8" r="5.5" strokeWidth="1.5" />
        <path className="g-idle" d="M4.3 11.7l7.4-7.4" strokeWidth="1.5" />
      </symbol>
    </>
  );
}

function OtherGlyphs() {
  return (
    <>
      <symbol id="glyph-missed" viewBox="0 0 16 16">
        <path className="g-warn" d="M8 2l6 6-6 6-6-6z" strokeWidth="1.5" strokeDasharray="2.6 1.6" />
      </symbol>
      <symbol id="glyph-caught" viewBox="0 0 16 16">
        <path className="g-caught" d="M8 1.6l6.4 6.4L8 14.4 1.6 8z" strokeWidth="1.4" />
        <path className="g-ok-fg" d="M5.6 8.2l1.7 1.7 3.2-3.6" strokeWidth="1.5" />
      </symbol>
      <symbol id="glyph-stopped" viewBox="0 0 16 16">
        <rect className="g-idle" x="3.2" y="3.2" width="9.6" height="9.6" rx="2" strokeWidth="1.5" />
        <rect className="g-idle-fill" x="6" y="6" width="4" height="4" />
      </symbol>
      <symbol id="glyph-paused" viewBox="0 0 16 16">
        <rect className="g-idle-fill" x="4.2" y="3.2" width="2.6" height="9.6" rx="1" />
        <rect className="g-idle-fill" x="9.2" y="3.2" width="2.6" height="9.6" rx="1" />
      </symbol>
      <symbol id="glyph-never" viewBox="0 0 16 16">
        <circle className="g-idle" cx="8" cy="8" r="5.5" strokeWidth="1.5" strokeDasharray="1.5 2.82" />
      </symbol>
      <symbol id="glyph-due" viewBox="0 0 16 16">
        <circle className="g-idle" cx="8" cy="8" r="4.5" strokeWidth="1.5" />
      </symbol>
    </>
  );
}

type GlyphProps = { name: GlyphName; size?: number; isDecoration?: boolean };

/** A glyph with its state as its name, unless the state stands in words beside it. */
export function Glyph({ name, size = 16, isDecoration = false }: GlyphProps) {
  const use = <use href={`#glyph-${name}`} />;
  return isDecoration ? (
    <svg className="glyph" width={size} height={size} aria-hidden="true">
      {use}
    </svg>
  ) : (
    <svg className="glyph" width={size} height={size} role="img" aria-label={texts.states[name]}>
      {use}
    </svg>
  );
}

export function Bell({ size, isRinging }: { size: number; isRinging: boolean }) {
  return (
    <svg className={`bell${isRinging ? ' bell-rings' : ''}`} width={size} height={size} aria-hidden="true">
      <use href="#glyph-bell" />
    </svg>
  );
}
