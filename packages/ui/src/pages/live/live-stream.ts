import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveEvent, LiveRate, LiveRejection } from '../../../../server/src/admin/contract.ts';
import { eventsApi, type LiveFilter } from '../../api/events.ts';
import { Silence } from '../../api/live.ts';
import { sessionApi } from '../../api/session.ts';
import { LiveBuffer, type LiveView } from './live-buffer.ts';

/** Browsers differ in which streams they open again, and when; so it is done here. */
const AGAIN_AFTER_MS = 2_000;

export interface LiveStream extends LiveView {
  readonly buffer: LiveBuffer;
}

const KEY = ['live'];

/** One for all visits of a session: who comes back finds what was there. The next one begins with nothing. */
function bufferOf(queryClient: QueryClient): LiveBuffer {
  const kept = queryClient.getQueryData<LiveBuffer>(KEY);
  if (kept) return kept;
  const buffer = new LiveBuffer((tell) => requestAnimationFrame(tell));
  queryClient.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY });
  queryClient.setQueryData(KEY, buffer);
  return buffer;
}

/** The last events, and those that come and pass the filter, for as long as the page is there. */
export function useLiveStream(filter: LiveFilter): LiveStream {
  const queryClient = useQueryClient();
  const buffer = bufferOf(queryClient);
  const { sourceId, type, event, userId, text } = filter;

  useEffect(() => {
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = new AbortController();
    const wish = { sourceId, type, event, userId, text };
    const lost = (): void => {
      silence.over();
      buffer.connection('lost');
      // A refusal may mean that the session has ended: the answer to this leads to the sign-in.
      const wasRefused = stream?.readyState === EventSource.CLOSED;
      stream?.close();
      timer = setTimeout(open, AGAIN_AFTER_MS);
      if (!wasRefused) return;
      void queryClient.invalidateQueries({ queryKey: sessionApi.current().queryKey });
      void endIfRefused();
    };
    /** A filter that is refused is not asked for again. */
    const endIfRefused = async (): Promise<void> => {
      const refusal = await eventsApi.refusalOfLive(wish, left.signal).catch(() => null);
      if (refusal === null || left.signal.aborted) return;
      clearTimeout(timer);
      silence.over();
      stream?.close();
      buffer.refused(refusal);
    };
    const silence = new Silence(lost);
    const open = (): void => {
      stream = eventsApi.live(wish);
      silence.broken();
      stream.addEventListener('open', () => buffer.connection('open'));
      stream.addEventListener('event', ({ data, lastEventId: id }) =>
        buffer.come({ ...(JSON.parse(data) as LiveEvent), id }),
      );
      stream.addEventListener('rejected', ({ data, lastEventId: id }) =>
        buffer.come({ ...(JSON.parse(data) as LiveRejection), id }),
      );
      stream.addEventListener('sampled', ({ data }) => {
        buffer.rate(JSON.parse(data) as LiveRate);
        // Once a second.
        silence.broken();
      });
      stream.addEventListener('error', lost);
    };
    buffer.filter(wish);
    buffer.connection('connecting');
    open();
    return () => {
      left.abort();
      clearTimeout(timer);
      silence.over();
      stream?.close();
    };
  }, [buffer, queryClient, sourceId, type, event, userId, text]);

  return { ...useSyncExternalStore(buffer.subscribe, buffer.view), buffer };
}
