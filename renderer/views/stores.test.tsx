import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createClock } from '../store/clock';
import type { Stores } from '../store/stores';
import { StoresProvider, useNow } from './stores';

const drawings = { count: 0 };
function View() {
  drawings.count += 1;
  return <p>{useNow('minute') > 0 ? 'drawn' : 'never'}</p>;
}

test('a view that is alone in reading the moment is drawn a few times, not for ever', () => {
  let now = 1_000_000;
  // Time that moves with every look, as it does on a slow machine.
  const clock = createClock(
    () => {
      now += 1;
      return now;
    },
    { isHidden: () => false, onChange: () => () => undefined },
  );
  render(
    <StoresProvider stores={{ clock } as Stores}>
      <View />
    </StoresProvider>,
  );
  expect(screen.getByText('drawn')).toBeTruthy();
  expect(drawings.count).toBeLessThan(5);
});
