import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { messagesApi } from '../../api/messages.ts';
import { DetailPage } from '../../shell/detail-page.tsx';
import { MessageWay } from './message-way.tsx';

const route = getRouteApi('/shell/messages/$messageId');

const MESSAGE = { noun: 'message', plural: 'Messages', list: '/messages' } as const;

/** One message: what came, what each destination made of it, attempt by attempt, and what was sent. */
export function MessagePage(): ReactElement {
  const { messageId } = route.useParams();
  const { source, user } = route.useSearch();
  const query = useQuery(messagesApi.trace(messageId, { sourceId: source, userId: user }));
  const name = query.data && (query.data.event ?? query.data.type);
  return (
    <DetailPage
      kind={MESSAGE}
      id={messageId}
      query={query}
      missing={
        <>
          Nothing with this messageId is kept{source !== undefined && ' of this source'}
          {user !== undefined && ' and user'}. It may never have been accepted, or it is older than the retention.
        </>
      }
      title={name ?? 'Message'}
      documentTitle={name === undefined ? 'Message' : `${name}, message ${messageId}`}
    >
      {(trace) => (
        <Stack gap="md" pt={query.error ? 'md' : 0}>
          <MessageWay trace={trace} />
        </Stack>
      )}
    </DetailPage>
  );
}
