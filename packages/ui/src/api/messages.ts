import { queryOptions } from '@tanstack/react-query';
import type { Replay, SendAgain, SignatureCheck, SignatureVerdict, Trace } from '../../../server/src/admin/contract.ts';
import { call, get, withQuery } from './client.ts';
import { change, LIVE } from './query.ts';

const pathOf = (messageId: string): string => `/api/messages/${encodeURIComponent(messageId)}`;

export interface MessageToSend extends SendAgain {
  messageId: string;
  sourceId: string;
}

export const messagesApi = {
  /** The whole way of one message; asked for again while something of it is still to come. */
  trace: (messageId: string, sourceId?: string) =>
    queryOptions({
      queryKey: ['messages', messageId, sourceId ?? null],
      queryFn: ({ signal }) => get<Trace>(pathOf(messageId), { sourceId }, signal),
      refetchInterval: ({ state }) =>
        state.data?.lanes.some((lane) => lane.state === 'waiting' || lane.state === 'retrying') ? LIVE : false,
    }),
  sendAgain: () =>
    change(
      ({ messageId, sourceId, ...body }: MessageToSend) =>
        call<{ replay: Replay }>('POST', withQuery(`${pathOf(messageId)}/send-again`, { sourceId }), { body }),
      ['messages'],
      ['deliveries'],
      ['replays'],
    ),
  checkSignature: () =>
    change((body: SignatureCheck) => call<SignatureVerdict>('POST', '/api/signature-checks', { body })),
};
