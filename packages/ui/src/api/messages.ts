import type { Replay, SendAgain, SignatureCheck, SignatureVerdict, Trace } from '../../../server/src/admin/contract.ts';
import { call, withQuery } from './client.ts';
import { change, request, watched } from './query.ts';

const pathOf = (messageId: string): string => `/api/messages/${encodeURIComponent(messageId)}`;

/** Which message of this id: the event at a position, or the newest of a source and user. */
interface Which {
  position?: number | string | undefined;
  sourceId?: string | undefined;
  userId?: string | undefined;
}

export interface MessageToSend extends SendAgain {
  messageId: string;
  position: number;
}

export const messagesApi = {
  /** The trace of one message. Requested again while some of its deliveries are not finished. */
  trace: (messageId: string, which: Which) => watched<Trace>(pathOf(messageId), { ...which }),
  sendAgain: () =>
    change(
      ({ messageId, position, ...body }: MessageToSend) =>
        call<{ replay: Replay }>('POST', withQuery(`${pathOf(messageId)}/send-again`, { position }), { body }),
      { onLog: true },
    ),
  checkSignature: () =>
    request((body: SignatureCheck) => call<SignatureVerdict>('POST', '/api/signature-checks', { body })),
};
