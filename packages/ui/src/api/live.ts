import type { Query, QueryClient } from '@tanstack/react-query';
import { bring, withQuery } from './client.ts';

/** Most paths of one stream (`GET /api/watch`). */
const MOST_PATHS = 16;
/** The queries of a page come one after the other: the stream waits for the last of them, milliseconds. */
const SETTLED_MS = 100;
/** And for queries that have no answer yet it waits so long: each that comes after it begins it anew. */
const PENDING_MS = 2_000;
/** After a stream or an answer that the service refused, milliseconds. */
const AGAIN_MS = 5_000;
/** What can't be answered is asked for again after so many milliseconds: a page that removed it has been left by then. */
const LEFT_MS = 1_000;

interface Told {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/**
 * Keeps what is shown up to date: one stream tells what changed of all queries that name a path as `meta.live`, while they are
 * used and the page can be seen. A query then runs as ever, with the answer that the stream brought in place of a request.
 *
 * The stream begins with the first answer of a query, and tells what differs from what it told before. So it is begun anew, and tells all, where a query asked by itself, or
 * where an answer was passed over.
 */
export function followAnswers(client: QueryClient): void {
  const cache = client.getQueryCache();
  /** Paths whose answer the stream has just brought. */
  const brought = new Set<string>();
  let stream: EventSource | null = null;
  let watched = '';
  let isAhead = false;
  let timer = 0;
  const silence = new Silence(lost);
  /** Since when the stream waits for queries, milliseconds. */
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
    stream = wanted === '' ? null : open(wanted);
    heard();
  }

  function open(query: string): EventSource {
    const opened = new EventSource(`/api/watch?${query}`);
    opened.addEventListener('answer', ({ data }) => void tell(JSON.parse(data) as Told));
    opened.addEventListener('asked', heard);
    opened.addEventListener('error', () => {
      if (opened === stream) lost();
    });
    return opened;
  }

  function heard(): void {
    if (stream === null) silence.over();
    else silence.broken();
  }

  /** The queries find out what is wrong, and say it. */
  function lost(): void {
    stream?.close();
    isAhead = true;
    void client.refetchQueries({ predicate: isLive });
    later(AGAIN_MS);
  }

  /** What is being changed is asked for when the change is over: what is gone then would be missed meanwhile. */
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
    // Said at every render: a page that is drawn again and again must not put it off for ever.
    if (type === 'observerOptionsUpdated' && timer === 0) later(SETTLED_MS);
    if (type !== 'updated' || !isLive(query)) return;
    if (event.action.type === 'error') later(AGAIN_MS);
    else if (event.action.type === 'success' && !brought.has(livePath(query) ?? '')) begin();
  });
  client.getMutationCache().subscribe(() => {
    if (isAhead && client.isMutating() === 0) begin();
  });
  document.addEventListener('visibilitychange', () => later(0));
  window.addEventListener('offline', lost);
  window.addEventListener('online', begin);
}

/** For the options of a query that asks GET `path` first: it is kept up to date. */
export function live(path: string, query: Parameters<typeof withQuery>[1] = {}): { meta: { live: string } } {
  return { meta: { live: withQuery(path, query) } };
}

function livePath({ meta }: Query): string | undefined {
  return meta?.['live'] as string | undefined;
}

/** The service tells something on each stream every two seconds: after so many milliseconds without, it can't be reached. */
const SILENCE_MS = 10_000;

/** Notices when an open stream tells nothing. */
export class Silence {
  readonly #noticed: () => void;
  #timer = 0;

  constructor(noticed: () => void) {
    this.#noticed = noticed;
  }

  /** Something was told, or the stream has just begun. */
  broken(): void {
    this.over();
    this.#timer = window.setTimeout(this.#noticed, SILENCE_MS);
  }

  /** The stream is closed. */
  over(): void {
    clearTimeout(this.#timer);
  }
}
