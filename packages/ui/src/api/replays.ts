import { queryOptions } from '@tanstack/react-query';
import type { NewReplay, Replay, ReplayPreview } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change, keyOf, live, paged, request } from './query.ts';

type Request = Omit<NewReplay, 'dryRun'>;

/** Whether the result can still change. */
function isUnderWay({ status, result }: Replay): boolean {
  return status === 'running' || (result !== null && result.waiting > 0);
}

export const replaysApi = {
  /** The replays of a destination, newest first. */
  list: (destinationId: string) => live(paged<Replay>('/api/replays', { destinationId })),
  one: (id: string) =>
    live(
      queryOptions({
        queryKey: keyOf(`/api/replays/${id}`, {}),
        queryFn: async ({ signal, client }) => {
          const replay = await get<Replay>(`/api/replays/${id}`, {}, signal);
          // A finished replay changed the lists of deliveries and of failed messages.
          if (!isUnderWay(replay)) {
            const { destinationId } = replay;
            for (const queryKey of [['deliveries'], ['destinations', destinationId, 'failed']])
              void client.invalidateQueries({ queryKey });
          }
          return replay;
        },
      }),
    ),
  /** Counts the messages that a replay would send. Sends nothing. */
  preview: () =>
    request((body: Request) => call<ReplayPreview>('POST', '/api/replays', { body: { ...body, dryRun: true } })),
  create: () => change((body: Request) => call<Replay>('POST', '/api/replays', { body }), { onLog: true }),
  stop: () => change((id: string) => call<Replay>('POST', `/api/replays/${id}/stop`), { onLog: true }),
};
