import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Counts } from '../../../../server/src/admin/contract.ts';
import { count } from '../../format/number.ts';
import classes from './counts.module.css';

interface CountsEquationProps extends Counts {
  readonly destinationId: string;
}

/** accepted = processed + failed + filtered + waiting; each part leads to the deliveries that it counts. */
export function CountsEquation({ destinationId, ...counts }: CountsEquationProps): ReactElement {
  const deliveries = (state: 'processed' | 'failed' | 'filtered' | 'retrying', words: ReactNode): ReactElement => (
    <Link to="/destinations/$destinationId/deliveries" params={{ destinationId }} search={{ state }}>
      {words}
    </Link>
  );
  return (
    <div className={classes['equation']}>
      <Term value={counts.accepted} part="accepted">
        accepted
      </Term>
      <Sign>=</Sign>
      <Term value={counts.processed} part="processed">
        {deliveries('processed', 'processed')}
      </Term>
      <Sign>+</Sign>
      <Term value={counts.failed} part="failed">
        {deliveries('failed', 'failed')}
      </Term>
      <Sign>+</Sign>
      <Term value={counts.filtered} part="filtered">
        {deliveries('filtered', 'filtered')}
      </Term>
      <Sign>+</Sign>
      <Term value={counts.waiting} part="waiting">
        waiting
        {counts.retrying > 0 && <> ({deliveries('retrying', `${count(counts.retrying)} retrying`)})</>}
      </Term>
    </div>
  );
}

function Term(props: { readonly value: number; readonly part: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className={classes['term']} data-part={props.part}>
      <strong>{count(props.value)}</strong>
      <span>{props.children}</span>
    </div>
  );
}

function Sign({ children }: { readonly children: string }): ReactElement {
  return <span className={classes['sign']}>{children}</span>;
}
