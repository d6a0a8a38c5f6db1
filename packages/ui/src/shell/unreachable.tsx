import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type ReactElement, useSyncExternalStore } from 'react';
import { onReach, unreachableSince } from '../api/reach.ts';
import { Time } from '../components/time.tsx';
import classes from './shell.module.css';

/** Says on every page that the service can't be reached, until it can. */
export function Unreachable(): ReactElement {
  const since = useSyncExternalStore(onReach, unreachableSince);
  return (
    <div role="status" className={classes['unreachable']}>
      {since !== null && (
        <Alert color="red" icon={<IconPlugConnectedX aria-hidden />} title="The service can't be reached">
          What is shown is of <Time at={new Date(since).toISOString()} minutes />, or earlier. The page tries again by
          itself.
        </Alert>
      )}
    </div>
  );
}
