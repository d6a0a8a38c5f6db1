/**
 * Segment's own library for Node as `bench/sides/client.ts` measures it. Plain JavaScript in this package for the
 * reason bullmq.js gives.
 */
import { Analytics } from '@segment/analytics-node';

export function createClient({ writeKey, endpoint, flushAt, fetch, onFailed }) {
  const analytics = new Analytics({ writeKey, host: endpoint, flushAt, httpClient: fetch });
  analytics.on('error', onFailed);
  return {
    track: (call) => analytics.track(call),
    flush: () => analytics.flush(),
  };
}
