import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { type KeyboardEvent, memo, type ReactElement, useLayoutEffect, useRef, useState } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { isRejected, type LiveRow } from './live-buffer.ts';
import classes from './live-list.module.css';

interface LiveListProps {
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  readonly selected: LiveRow | null;
  readonly onSelect: (row: LiveRow) => void;
  readonly sourceName: (id: string) => string;
}

/** Scrolled to the top, the list follows new rows. Scrolled down, it keeps its position and says how many rows came above. */
export function LiveList({ rows, selected, onSelect, sourceName }: LiveListProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const newest = useRef<string | null>(null);
  const [newer, setNewer] = useState(0);
  const top = rows[0]?.id ?? null;

  useLayoutEffect(() => {
    const element = scroller.current;
    const come = newest.current === null ? 0 : rows.findIndex(({ id }) => id === newest.current);
    newest.current = top;
    if (!element || element.scrollTop === 0) return;
    const added = come === -1 ? rows.length : come;
    if (added === 0) return;
    element.scrollTop += added * (element.querySelector<HTMLElement>('[role=option]')?.offsetHeight ?? 0);
    setNewer((before) => before + added);
  }, [rows, top]);

  const follow = (): void => {
    scroller.current?.scrollTo({ top: 0 });
    scroller.current?.focus({ preventScroll: true });
  };

  const move = (event: KeyboardEvent): void => {
    const target = next(event.key, selected ? rows.findIndex(({ id }) => id === selected.id) : -1, rows.length);
    const row = target === null ? undefined : rows[target];
    if (!row) return;
    event.preventDefault();
    onSelect(row);
    document.getElementById(rowId(row))?.scrollIntoView({ block: 'nearest' });
  };

  return (
    <>
      {newer > 0 && (
        <Button
          className={classes['newer'] ?? ''}
          size="xs"
          radius="xl"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={follow}
        >
          {count(newer)} newer
        </Button>
      )}
      <div
        ref={scroller}
        className={classes['scroller']}
        role="listbox"
        aria-label="Events, newest first"
        aria-activedescendant={selected && rows.some(({ id }) => id === selected.id) ? rowId(selected) : undefined}
        tabIndex={0}
        onKeyDown={move}
        onScroll={({ currentTarget }) => currentTarget.scrollTop === 0 && setNewer(0)}
      >
        {rows.map((row) => (
          <LiveListRow
            key={row.id}
            row={row}
            isSelected={row.id === selected?.id}
            onSelect={onSelect}
            source={row.sourceId === null ? 'unknown key' : sourceName(row.sourceId)}
          />
        ))}
      </div>
    </>
  );
}

/** The row that a key selects, from the selected row (-1: none); null if the key selects none. */
function next(key: string, at: number, length: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return null;
  }
}

interface LiveListRowProps {
  readonly row: LiveRow;
  readonly source: string;
  readonly isSelected: boolean;
  readonly onSelect: (row: LiveRow) => void;
}

function rowId({ id }: LiveRow): string {
  return `live-${id}`;
}

/** Plain elements, rendered once: the list has hundreds of rows, and new ones ten times a second. */
const LiveListRow = memo(({ row, source, isSelected, onSelect }: LiveListRowProps): ReactElement => {
  const [kind, words, who] = isRejected(row)
    ? [
        <StatusBadge key="kind" tone="bad">
          rejected
        </StatusBadge>,
        `${row.code}: ${row.message}`,
        null,
      ]
    : [row.type, row.event, row.userId ?? 'anonymous'];
  const { receivedAt } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the list box has the focus and the keys.
    <div
      id={rowId(row)}
      role="option"
      aria-selected={isSelected}
      className={classes['row']}
      onClick={() => onSelect(row)}
    >
      <span className={classes['time']}>
        <Time at={receivedAt} clock />
      </span>
      <span className={classes['type']}>{kind}</span>
      <span className={words === null ? classes['quiet'] : classes['event']} data-part="event">
        {words ?? '–'}
      </span>
      <span className={`${classes['user']} ${who === null || who === 'anonymous' ? classes['quiet'] : ''}`}>{who}</span>
      <span className={`${classes['source']} ${classes['quiet']}`}>{source}</span>
    </div>
  );
});
