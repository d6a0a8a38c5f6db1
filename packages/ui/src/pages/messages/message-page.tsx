import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { messagesApi } from '../../api/messages.ts';
import { isMissing } from '../../api/problem.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
import { MessageWay } from './message-way.tsx';

const route = getRouteApi('/shell/messages/$messageId');

/** One message: what came, what each destination made of it, attempt by attempt, and what was sent. */
export function MessagePage(): ReactElement {
  const { messageId } = route.useParams();
  const { source, user } = route.useSearch();
  const { data: trace, error, refetch } = useQuery(messagesApi.trace(messageId, { sourceId: source, userId: user }));
  if (isMissing(error)) {
    return (
      <NotFound what="message" id={messageId} all={<ButtonLink to="/messages">All messages</ButtonLink>}>
        Nothing with this messageId is kept{source !== undefined && ' of this source'}
        {user !== undefined && ' and user'}. It may never have been accepted, or it is older than the retention.
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/messages">Messages</AnchorLink>}
        title={trace ? (trace.event ?? trace.type) : 'Message'}
        documentTitle={trace ? `${trace.event ?? trace.type}, message ${messageId}` : 'Message'}
      />
      <Stack gap="md">
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {(trace || !error) && <MessageWay trace={trace} />}
      </Stack>
    </>
  );
}
