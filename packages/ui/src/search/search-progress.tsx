import { Button, Loader, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { localMinute } from '../format/moment.ts';
import { many } from '../format/number.ts';
import { useMayLook } from '../shell/session.ts';
import classes from './search.module.css';
import type { Search } from './use-search.ts';

/** How far the search has come, and its end. Only the end is read out. */
export function SearchProgress({
  search: { state, events, back, error, goOn },
  found,
}: {
  readonly search: Search;
  readonly found: number;
}): ReactElement {
  const mayLook = useMayLook();
  const looked = `Looked through ${many(events, 'event')}`;
  const isOver = state === 'over' && error === null;
  const reached = isOver || back === null ? '' : `, back to ${localMinute(new Date(back))}`;
  const end = isOver ? ' – all there are.' : '';
  const nothing = isOver && found === 0 ? 'Nothing has this text. ' : '';
  return (
    <div className={classes['progress']}>
      {state === 'reading' && <Loader size={14} aria-hidden />}
      {error === null ? (
        <span>{mayLook ? `${nothing}${looked}${reached}${end}` : nothing}</span>
      ) : (
        <span role="alert">The search stopped: {error.message}</span>
      )}
      {(state === 'waiting' || error !== null) && (
        <Button size="compact-xs" variant="default" ml="auto" onClick={goOn}>
          {error === null ? 'Look further back' : 'Try again'}
        </Button>
      )}
      <VisuallyHidden role="status">{state === 'reading' ? '' : `${found} found. ${end}`}</VisuallyHidden>
    </div>
  );
}
