import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { LiveEvent, LiveRate, LiveRejection } from '../../../../server/src/admin/contract.ts';
import { eventsApi, type LiveFilter } from '../../api/events.ts';
import { openStream } from '../../api/live.ts';
import { sessionApi } from '../../api/session.ts';
import { LiveBuffer, type LiveView } from './live-buffer.ts';

/** Milliseconds until a lost stream is opened again. Browsers differ in which streams they reopen and when, so the page does it. */
const AGAIN_AFTER_MS = 2_000;

export interface LiveStream extends LiveView {
  readonly buffer: LiveBuffer;
}

const KEY = ['live'];

/** One buffer for each session: a user who comes back to the page finds the earlier rows. The next session starts empty. */
function bufferOf(queryClient: QueryClient): LiveBuffer {
  const kept = queryClient.getQueryData<LiveBuffer>(KEY);
  if (kept) return kept;
  const buffer = new LiveBuffer((tell) => requestAnimationFrame(tell));
  queryClient.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY });
  queryClient.setQueryData(KEY, buffer);
  return buffer;
}

/** The newest events, and new ones that pass the filter, while the page is shown. */
export function useLiveStream(filter: LiveFilter): LiveStream {
  const queryClient = useQueryClient();
  const buffer = bufferOf(queryClient);
  const { sourceId, type, event, userId, text } = filter;

  useEffect(() => {
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = new AbortController();
    const wish = { sourceId, type, event, userId, text };
    const lost = (isRefused: boolean): void => {
      buffer.connection('lost');
      timer = setTimeout(open, AGAIN_AFTER_MS);
      if (!isRefused) return;
      // A refusal may mean that the session has ended. Then this request leads to the sign-in.
      void queryClient.invalidateQueries({ queryKey: sessionApi.current().queryKey });
      void endIfRefused();
    };
    /** A refused filter is not requested again. */
    const endIfRefused = async (): Promise<void> => {
      const refusal = await eventsApi.refusalOfLive(wish, left.signal).catch(() => null);
      if (refusal === null || left.signal.aborted) return;
      clearTimeout(timer);
      stream?.close();
      buffer.refused(refusal);
    };
    const open = (): void => {
      stream = openStream(eventsApi.live(wish), 'sampled', lost);
      stream.addEventListener('open', () => buffer.connection('open'));
      stream.addEventListener('event', ({ data, lastEventId: id }) =>
        buffer.come({ ...(JSON.parse(data) as LiveEvent), id }),
      );
      stream.addEventListener('rejected', ({ data, lastEventId: id }) =>
        buffer.come({ ...(JSON.parse(data) as LiveRejection), id }),
      );
      stream.addEventListener('sampled', ({ data }) => buffer.rate(JSON.parse(data) as LiveRate));
    };
    buffer.filter(wish);
    buffer.connection('connecting');
    open();
    return () => {
      left.abort();
      clearTimeout(timer);
      stream?.close();
    };
  }, [buffer, queryClient, sourceId, type, event, userId, text]);

  return { ...useSyncExternalStore(buffer.subscribe, buffer.view), buffer };
}
