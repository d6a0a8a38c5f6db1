import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { LiveEvent, LiveRate } from '../../../../server/src/admin/contract.ts';
import { eventsApi, type LiveFilter } from '../../api/events.ts';
import { sessionApi } from '../../api/session.ts';
import { LiveBuffer, type LiveView } from './live-buffer.ts';

/** Browsers differ in which streams they open again, and when; so it is done here. */
const AGAIN_AFTER_MS = 2_000;

export interface LiveStream extends LiveView {
  readonly buffer: LiveBuffer;
}

/** The events that come and pass the filter, for as long as the page is there. Another filter begins with nothing. */
export function useLiveStream(filter: LiveFilter): LiveStream {
  const [buffer] = useState(() => new LiveBuffer((tell) => requestAnimationFrame(tell)));
  const queryClient = useQueryClient();
  const { sourceId, type, event, userId, text } = filter;

  useEffect(() => {
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wish = Object.fromEntries(
      Object.entries({ sourceId, type, event, userId, text }).filter(([, value]) => value !== undefined),
    );
    const open = (): void => {
      stream = eventsApi.live(wish);
      stream.addEventListener('open', () => buffer.connection('open'));
      stream.addEventListener('event', ({ data }) => buffer.event(JSON.parse(data) as LiveEvent));
      stream.addEventListener('sampled', ({ data }) => buffer.rate(JSON.parse(data) as LiveRate));
      stream.addEventListener('error', () => {
        buffer.connection('lost');
        // A refusal may mean that nobody is signed in any more: the answer to this leads to the sign-in.
        const wasRefused = stream?.readyState === EventSource.CLOSED;
        if (wasRefused) void queryClient.invalidateQueries({ queryKey: sessionApi.current().queryKey });
        stream?.close();
        timer = setTimeout(open, AGAIN_AFTER_MS);
      });
    };
    buffer.clear();
    buffer.connection('connecting');
    open();
    return () => {
      clearTimeout(timer);
      stream?.close();
    };
  }, [buffer, queryClient, sourceId, type, event, userId, text]);

  return { ...useSyncExternalStore(buffer.subscribe, buffer.view), buffer };
}
