import { memo, type ReactElement } from 'react';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { isRejected, type LiveRow } from './live-buffer.ts';
import classes from './live-list.module.css';

interface LiveListRowProps {
  readonly row: LiveRow;
  readonly source: string;
  readonly isSelected: boolean;
  readonly onSelect: (row: LiveRow) => void;
}

export function rowId({ id }: LiveRow): string {
  return `live-${id}`;
}

/** Plain elements, drawn once: hundreds of them are there, and some come ten times a second. */
export const LiveListRow = memo(({ row, source, isSelected, onSelect }: LiveListRowProps): ReactElement => {
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
