import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { many } from '../../format/number.ts';

/** Delete messages that failed, and how they are sent again. */
export function FailedNotices({ regulation: { id, notices } }: { readonly regulation: Regulation }): ReactElement {
  const one = notices.failed === 1;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${many(notices.failed, 'delete message')} failed`}
    >
      A destination refused {one ? 'it' : 'them'} for good, so it may still have the data. Repair the endpoint, then
      send {one ? 'it' : 'them'} again: one from the page of its message, or all under <b>Failed</b> of the destination.
      What comes of it is noted here.{' '}
      <AnchorLink
        to="/deletions/$regulationId"
        params={{ regulationId: id }}
        search={{ show: 'failed' }}
        inherit
        c="inherit"
        underline="always"
      >
        Show what failed
      </AnchorLink>
    </Alert>
  );
}
