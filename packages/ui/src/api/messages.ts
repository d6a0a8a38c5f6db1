import type { Replay, SendAgain, SignatureCheck, SignatureVerdict, Trace } from '../../../server/src/admin/contract.ts';
import { call, withQuery } from './client.ts';
import { change, watched } from './query.ts';

const pathOf = (messageId: string): string => `/api/messages/${encodeURIComponent(messageId)}`;

/** Which message of this id: a messageId is unique per source and user. */
interface Whose {
  sourceId?: string | undefined;
  userId?: string | undefined;
}

export interface MessageToSend extends SendAgain, Whose {
  messageId: string;
}

export const messagesApi = {
  /** The whole way of one message; asked for again while something of it is still to come. */
  trace: (messageId: string, { sourceId, userId }: Whose) => watched<Trace>(pathOf(messageId), { sourceId, userId }),
  sendAgain: () =>
    change(
      ({ messageId, sourceId, userId, ...body }: MessageToSend) =>
        call<{ replay: Replay }>('POST', withQuery(`${pathOf(messageId)}/send-again`, { sourceId, userId }), { body }),
      ['messages'],
      ['deliveries'],
      ['replays'],
    ),
  checkSignature: () =>
    change((body: SignatureCheck) => call<SignatureVerdict>('POST', '/api/signature-checks', { body })),
};
