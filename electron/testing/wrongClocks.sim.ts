/** The same lives on machines whose clock is at times days ahead for seconds, or ages back (H-46, X-35, X-68). */

import { expect, test } from 'vitest';
import { livesOfThisRun, replayCommand } from './lives';
import { live } from './simulation';

test.each(livesOfThisRun())(
  '$days days with wrong clocks from the number $seed break no rule',
  async (life) => {
    const report = await live({ ...life, hasWrongClocks: true });
    expect(report.broken, `replay with: ${replayCommand(life.seed, true)}`).toBeNull();
    expect(report.events).toBeGreaterThan(10);
  },
);
