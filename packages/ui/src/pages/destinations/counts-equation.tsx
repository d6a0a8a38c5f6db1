import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Counts } from '../../../../server/src/admin/contract.ts';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayLook } from '../../shell/session.ts';
import classes from './counts.module.css';

interface CountsEquationProps extends Counts {
  readonly destinationId: string;
}

/** accepted = processed + failed + filtered + waiting; each part leads to the deliveries that it counts. */
export function CountsEquation({ destinationId, ...counts }: CountsEquationProps): ReactElement {
  const mayLook = useMayLook();
  const deliveries = (state: 'processed' | 'failed' | 'filtered' | 'retrying', words: ReactNode): ReactNode =>
    mayLook ? (
      <Link to="/destinations/$destinationId/deliveries" params={{ destinationId }} search={{ state }}>
        {words}
      </Link>
    ) : (
      words
    );
  return (
    <div className={classes['equation']}>
      <Term value={counts.accepted} part="accepted">
        <GlossaryTerm name="accepted">accepted</GlossaryTerm>
      </Term>
      <Term sign="=" value={counts.processed} part="processed">
        {deliveries('processed', 'processed')}
      </Term>
      <Term sign="+" value={counts.failed} part="failed">
        {deliveries('failed', 'failed')}
      </Term>
      <Term sign="+" value={counts.filtered} part="filtered">
        {deliveries('filtered', 'filtered')}
      </Term>
      <Term sign="+" value={counts.waiting} part="waiting">
        <GlossaryTerm name="waiting">waiting</GlossaryTerm>
        {counts.retrying > 0 && <> ({deliveries('retrying', `${count(counts.retrying)} retrying`)})</>}
      </Term>
    </div>
  );
}

interface TermProps {
  /** Before it. */
  readonly sign?: '=' | '+';
  readonly value: number;
  readonly part: string;
  readonly children: ReactNode;
}

/** A number over its name. The sign stays with it where lines break. */
function Term({ sign, value, part, children }: TermProps): ReactElement {
  return (
    <div className={classes['term']} data-part={part}>
      {sign && <span className={classes['sign']}>{sign}</span>}
      <div>
        <strong>{count(value)}</strong>
        <span className={classes['name']}>{children}</span>
      </div>
    </div>
  );
}
