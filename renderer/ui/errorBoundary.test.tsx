import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { ErrorBoundary } from './errorBoundary';

afterEach(() => {
  vi.restoreAllMocks();
});

const fault = { isThere: true };
function View() {
  if (fault.isThere) throw new Error('a fault in a view');
  return <p>Drawn</p>;
}

test('a view that fails leaves a way back, and is drawn again when asked', async () => {
  // React reports the fault on the console too.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  render(
    <ErrorBoundary
      fallback={(retry) => (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    >
      <View />
    </ErrorBoundary>,
  );
  fault.isThere = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByText('Drawn')).toBeTruthy();
});
