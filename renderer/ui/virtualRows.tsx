/**
 * Rows of a long list of which only those in view are in the page. The focused row stays in the page while it is scrolled
 * away, so that the keyboard never loses its place.
 */
import { defaultRangeExtractor, type Range, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useCallback, useLayoutEffect, useRef } from 'react';

const OVERSCAN_ROWS = 8;

export type Rows = Virtualizer<HTMLDivElement, HTMLDivElement>;

type RowsOptions = {
  count: number;
  /** The height of a row, or the usual height when rows are measured. */
  rowHeight: number;
  scroller: RefObject<HTMLDivElement | null>;
  /** The row that must stay in the page, or -1. */
  keptIndex?: number;
  /** The height of what stays at the top of the scrolled area. */
  headHeight?: number;
  keyOf?: (index: number) => string | number;
};

export function useRows({
  count,
  rowHeight,
  scroller,
  keptIndex = -1,
  headHeight = 0,
  keyOf,
}: RowsOptions): Rows {
  const extract = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (keptIndex < 0 || keptIndex >= range.count || shown.includes(keptIndex)) return shown;
      return [...shown, keptIndex].sort((a, b) => a - b);
    },
    [keptIndex],
  );
  const rows = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    rangeExtractor: extract,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    ...(keyOf === undefined ? {} : { getItemKey: keyOf }),
  });
  const lastHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    // Another layout of the window gives the rows another height.
    if (lastHeight.current !== rowHeight) rows.measure();
    lastHeight.current = rowHeight;
  }, [rows, rowHeight]);
  return rows;
}

type VirtualRowsProps = {
  rows: Rows;
  /** Measures each row; without it all have the estimated height. */
  isMeasured?: boolean;
  role?: 'rowgroup' | 'presentation';
  children: (index: number) => ReactNode;
};

export function VirtualRows({ rows, isMeasured, role = 'presentation', children }: VirtualRowsProps) {
  const { scrollMargin } = rows.options;
  return (
    <div className="virtual" role={role} style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((item) => (
        <div
          key={item.key}
          role="presentation"
          className="virtual-row"
          data-index={item.index}
          {...(isMeasured ? { ref: rows.measureElement } : {})}
          style={{
            transform: `translateY(${item.start - scrollMargin}px)`,
            ...(isMeasured ? {} : { height: item.size }),
          }}
        >
          {children(item.index)}
        </div>
      ))}
    </div>
  );
}
