/** A scenario as stretches in each of which nothing changes, so that whoever lives through it goes from one to the next. */

import type { Scenario } from '../../shared/model/whatIf';
import type { Instant } from '../../shared/time';

export type MachineState = 'awake' | 'asleep' | 'off';

export type Stretch = {
  readonly from: Instant;
  readonly to: Instant;
  readonly state: MachineState;
  readonly isOnMains: boolean;
  readonly hasNetwork: boolean;
  /** Where the laptop is; null: where it was at the beginning. */
  readonly zone: string | null;
  /** Somebody sets the clock by so many milliseconds at the beginning of the stretch; 0 for nobody. */
  readonly stepMs: number;
};

type Span = { readonly from: Instant; readonly to: Instant };

const holdsAt = (spans: readonly Span[], at: Instant): boolean =>
  spans.some(({ from, to }) => from <= at && at < to);

/** From old to new, without holes. A laptop that is off is not asleep, and one that goes off in its sleep was off all along. */
export function stretchesOf(scenario: Scenario, from: Instant, until: Instant): Stretch[] {
  const { asleep, off, onBattery, withoutNetwork, travels, clockSteps } = scenario;
  const edges = [...asleep, ...off, ...onBattery, ...withoutNetwork].flatMap((span) => [span.from, span.to]);
  const moments = [from, ...edges, ...travels.map(({ at }) => at), ...clockSteps.map(({ at }) => at), until];
  const inside = [...new Set(moments.filter((at) => from <= at && at <= until))].sort((a, b) => a - b);
  const journeys = [...travels].sort((a, b) => a.at - b.at);
  const stretches = inside.slice(0, -1).map((at, place): Stretch => {
    const stepMs = clockSteps.filter((step) => step.at === at).reduce((sum, { byMs }) => sum + byMs, 0);
    return {
      from: at,
      to: inside[place + 1] ?? until,
      state: holdsAt(off, at) ? 'off' : holdsAt(asleep, at) ? 'asleep' : 'awake',
      isOnMains: !holdsAt(onBattery, at),
      hasNetwork: !holdsAt(withoutNetwork, at),
      zone: journeys.findLast((journey) => journey.at <= at)?.zone ?? null,
      stepMs,
    };
  });
  return sleepThatEndsOff(stretches);
}

/** Nothing can be written down on the way from sleep to off. */
function sleepThatEndsOff(stretches: readonly Stretch[]): Stretch[] {
  let isOffNext = false;
  return stretches
    .toReversed()
    .map((stretch) => {
      const state = stretch.state === 'asleep' && isOffNext ? 'off' : stretch.state;
      isOffNext = state === 'off';
      return { ...stretch, state };
    })
    .toReversed();
}
