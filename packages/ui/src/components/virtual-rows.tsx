import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';

interface VirtualRowsProps {
  /** Number of rows. */
  readonly count: number;
  readonly columns: number;
  readonly keyOf: (index: number) => string;
  readonly renderRow: (index: number, place?: RowPlace) => ReactElement;
}

/** Props of a `<tr>`, with its position. */
export interface RowPlace {
  readonly 'aria-rowindex': number;
}

/** Row height in pixels before any row is measured. */
const ROW_HEIGHT = 44;
/** Rows rendered above and below the screen, so that the keyboard finds the next row. */
const OVERSCAN = 12;

/** The rows of a long table. Only visible rows are rendered; empty space stands for the others. A printed table has all rows. */
export function VirtualRows({ count, columns, keyOf, renderRow }: VirtualRowsProps): ReactElement {
  const start = useRef<HTMLTableRowElement>(null);
  const isPrinted = useSyncExternalStore(followPrinting, () => matchMedia('print').matches);
  const [height, setHeight] = useState<number | null>(null);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => height ?? ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: start.current ? start.current.getBoundingClientRect().top + window.scrollY : 0,
    getItemKey: keyOf,
  });
  // Every row is taken to be as high as the first ones. So the length of the page does not change while one scrolls.
  useLayoutEffect(() => {
    const seen = [...(start.current?.parentElement?.querySelectorAll('[aria-rowindex]') ?? [])];
    if (height !== null || seen.length === 0) return;
    setHeight(seen.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0) / seen.length);
  });
  useLayoutEffect(() => {
    if (height !== null) virtualizer.measure();
  }, [virtualizer, height]);
  if (isPrinted) return <>{Array.from({ length: count }, (_, index) => renderRow(index))}</>;
  const shown = virtualizer.getVirtualItems();
  const before = (shown[0]?.start ?? 0) - virtualizer.options.scrollMargin;
  const after = virtualizer.getTotalSize() - ((shown.at(-1)?.end ?? 0) - virtualizer.options.scrollMargin);
  return (
    <>
      <tr ref={start} aria-hidden>
        <td colSpan={columns} style={{ height: Math.max(before, 0), padding: 0 }} />
      </tr>
      {/* The header is the first row. */}
      {shown.map(({ index }) => renderRow(index, { 'aria-rowindex': index + 2 }))}
      <tr aria-hidden>
        <td colSpan={columns} style={{ height: Math.max(after, 0), padding: 0 }} />
      </tr>
    </>
  );
}

function followPrinting(changed: () => void): () => void {
  const media = matchMedia('print');
  media.addEventListener('change', changed);
  return () => media.removeEventListener('change', changed);
}
