import type { ReactElement } from 'react';
import type { Counts } from '../../../../server/src/admin/contract.ts';
import { count, share } from '../../format/number.ts';
import classes from './counts.module.css';

const PARTS = ['processed', 'failed', 'filtered', 'waiting'] as const;

/** The parts of what was accepted, as lengths. A part that is not zero can be seen, however small it is. */
export function CountsBar(counts: Counts): ReactElement {
  const words = PARTS.map((part) => `${count(counts[part])} ${part} (${share(counts[part], counts.accepted)})`);
  return (
    <div
      className={classes['bar']}
      role="img"
      aria-label={`Of ${count(counts.accepted)} accepted: ${words.join(', ')}`}
    >
      {PARTS.filter((part) => counts[part] > 0).map((part) => (
        <span key={part} data-part={part} style={{ flexGrow: counts[part] }} />
      ))}
    </div>
  );
}
