import type { Query, QueryClient } from '@tanstack/react-query';
import { bring } from './client.ts';
import { look, noteLife } from './reach.ts';

/** Most paths of one stream (`GET /api/watch`). */
const MOST_PATHS = 16;
/** Milliseconds. The queries of a page start one after the other: the stream opens after the last of them. */
const SETTLED_MS = 100;
/** Longest wait, in milliseconds, for queries without an answer. Each later query would make the stream open anew. */
const PENDING_MS = 2_000;
/** Milliseconds from a refused stream or answer to the next attempt. */
const AGAIN_MS = 5_000;
/** Milliseconds from a failed answer of the stream to a request for it. A page that deleted the thing has been left by then. */
const LEFT_MS = 1_000;

interface Told {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Keeps the shown queries up to date with one stream (`GET /api/watch`). It covers all queries with a path as
 * `meta.live`, while they are in use and the page is visible. When the stream brings an answer, the query runs as usual,
 * but takes this answer in place of a request.
 *
 * A new stream sends all answers; later it sends only what differs from its last answer. So it is opened again when a
 * query sent its own request, or when an answer of the stream was skipped.
 */
export function followAnswers(client: QueryClient): void {
  const cache = client.getQueryCache();
  /** Paths whose query runs with an answer of the stream at the moment. */
  const brought = new Set<string>();
  let stream: EventSource | null = null;
  let watched = '';
  let isAhead = false;
  let timer = 0;
  /** When the stream began to wait for queries without an answer, in milliseconds of `performance.now()`. */
  let pendingSince: number | null = null;

  const isLive = (query: Query): boolean => query.isActive() && livePath(query) !== undefined;
  const later = (ms: number): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      timer = 0;
      follow();
    }, ms);
  };
  const begin = (): void => {
    isAhead = true;
    later(SETTLED_MS);
  };

  function follow(): void {
    const isPending = (query: Query): boolean => query.state.status === 'pending';
    const isAnswered = (query: Query): boolean => isLive(query) && !isPending(query);
    if (cache.findAll({ predicate: (query) => isLive(query) && isPending(query) }).length > 0) {
      pendingSince ??= performance.now();
      if (performance.now() - pendingSince < PENDING_MS) {
        later(SETTLED_MS);
        return;
      }
    }
    pendingSince = null;
    const shown = document.hidden ? [] : cache.findAll({ predicate: isAnswered });
    const paths = [...new Set(shown.map(livePath))].filter((path) => path !== undefined).slice(0, MOST_PATHS);
    const wanted = new URLSearchParams(paths.map((path) => ['path', path])).toString();
    if (wanted === watched && !isAhead) return;
    stream?.close();
    watched = wanted;
    isAhead = false;
    stream = wanted === '' ? null : openStream(`/api/watch?${wanted}`, 'asked', lost);
    stream?.addEventListener('answer', ({ data }) => void tell(JSON.parse(data) as Told));
  }

  /** The stream failed. Unless the service refused it, finds out whether it answers. All live queries run: they show what is wrong. */
  function lost(isRefused: boolean): void {
    stream?.close();
    isAhead = true;
    if (!isRefused) void look();
    void client.refetchQueries({ predicate: isLive });
    later(AGAIN_MS);
  }

  /**
   * Applies an answer of the stream. While a change is under way the answer is skipped: the thing may just be deleted,
   * and its query would fail.
   */
  async function tell({ path, status, body }: Told): Promise<void> {
    if (client.isMutating() > 0) {
      isAhead = true;
      return;
    }
    const taken = status === 200 ? bring(path, body) : undefined;
    if (!taken) await new Promise((resolve) => setTimeout(resolve, LEFT_MS));
    brought.add(path);
    await client.refetchQueries({ predicate: (query) => query.isActive() && livePath(query) === path });
    brought.delete(path);
    taken?.();
  }

  cache.subscribe((event) => {
    const { type, query } = event;
    if (type === 'observerAdded' || type === 'observerRemoved') later(SETTLED_MS);
    // This event comes at every render. It must not restart a running timer: a page that renders often would delay the stream for ever.
    if (type === 'observerOptionsUpdated' && timer === 0) later(SETTLED_MS);
    if (type !== 'updated' || !isLive(query)) return;
    if (event.action.type === 'error') later(AGAIN_MS);
    else if (event.action.type === 'success' && !brought.has(livePath(query) ?? '')) begin();
  });
  client.getMutationCache().subscribe(() => {
    if (isAhead && client.isMutating() === 0) begin();
  });
  document.addEventListener('visibilitychange', () => later(0));
  window.addEventListener('offline', () => lost(false));
  window.addEventListener('online', begin);
}

function livePath({ meta }: Query): string | undefined {
  return meta?.['live'] as string | undefined;
}

/** Milliseconds without a message after which the service counts as unreachable. Each stream gets a message every two seconds. */
const SILENCE_MS = 10_000;

/** Opens a stream. If it fails, or brings no message `beat` for `SILENCE_MS`, it is closed and `lost` is called. */
export function openStream(path: string, beat: string, lost: (isRefused: boolean) => void): EventSource {
  const stream = new EventSource(path);
  const end = (): void => {
    const isRefused = stream.readyState === EventSource.CLOSED;
    stream.close();
    lost(isRefused);
  };
  const silent = (): void => {
    if (stream.readyState !== EventSource.CLOSED) end();
  };
  let timer = window.setTimeout(silent, SILENCE_MS);
  stream.addEventListener(beat, () => {
    noteLife();
    clearTimeout(timer);
    timer = window.setTimeout(silent, SILENCE_MS);
  });
  stream.addEventListener('error', end);
  return stream;
}
