/** Cells of a grid whose rows take the focus, as the ARIA pattern allows where a cell holds nothing to act on. */
import type { ReactNode } from 'react';

type CellProps = { className?: string; title?: string; children: ReactNode };

export function GridCell({ className, title, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the row takes the focus
    <div role="gridcell" className={className} title={title}>
      {children}
    </div>
  );
}

export function ColumnHeader({ className, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with a head that does not sort
    <span role="columnheader" className={className}>
      {children}
    </span>
  );
}

/** The row of column heads, row 1 of its grid. */
export function GridHead({ className, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: heads that do not sort are not stops for the keyboard
    <div role="row" className={className} aria-rowindex={1}>
      {children}
    </div>
  );
}
