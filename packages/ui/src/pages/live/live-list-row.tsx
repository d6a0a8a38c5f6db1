import { memo, type ReactElement } from 'react';
import { Time } from '../../components/time.tsx';
import type { LiveRow } from './live-buffer.ts';
import classes from './live-list.module.css';

interface LiveListRowProps {
  readonly row: LiveRow;
  readonly source: string;
  readonly isSelected: boolean;
  readonly onSelect: (row: LiveRow) => void;
}

export function rowId({ place }: LiveRow): string {
  return `live-${place}`;
}

/** Plain elements, drawn once: hundreds of them are there, and some come ten times a second. */
export const LiveListRow = memo(({ row, source, isSelected, onSelect }: LiveListRowProps): ReactElement => {
  const { type, event, userId, receivedAt } = row;
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
      <span className={classes['type']}>{type}</span>
      <span className={event === null ? classes['quiet'] : classes['event']} data-part="event">
        {event ?? '–'}
      </span>
      <span className={`${classes['user']} ${userId === null ? classes['quiet'] : ''}`}>{userId ?? 'anonymous'}</span>
      <span className={`${classes['source']} ${classes['quiet']}`}>{source}</span>
    </div>
  );
});
