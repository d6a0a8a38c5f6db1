import { keepPreviousData } from '@tanstack/react-query';
import type {
  CatalogItem,
  Counts,
  Destination,
  DestinationChange,
  DestinationOverview,
  FailedGroups,
  NewDestination,
  NewUrlCheck,
  Resume,
  RetrySchedule,
  RoutingPreview,
  RoutingToPreview,
  TestCall,
  TestResult,
  UrlCheck,
} from '../../../server/src/admin/contract.ts';
import type { Range } from '../format/range.ts';
import { call, get } from './client.ts';
import { ApiProblem } from './problem.ts';
import { asked, change, edit, request, watched, whole } from './query.ts';

/** Milliseconds between two requests. An answer reads up to some thousand messages: too many for every two seconds. */
const FAILED_MS = 30_000;

const pathOf = (id: string): string => `/api/destinations/${id}`;

export const destinationsApi = {
  catalog: () => ({ ...whole<CatalogItem>('/api/catalog', {}), staleTime: Number.POSITIVE_INFINITY }),
  list: () => whole<Destination>('/api/destinations'),
  one: (id: string) => watched<Destination>(pathOf(id)),
  counts: (id: string) => watched<Counts>(`${pathOf(id)}/counts`),
  /** The state of a destination, with the statistics of a range. All numbers are of one moment. */
  overview: (id: string, range: Range) => ({
    ...watched<DestinationOverview>(`${pathOf(id)}/overview`, { ...range }),
    placeholderData: keepPreviousData,
  }),
  /** The newest failed messages by error and event. */
  failedGroups: (id: string) => ({ ...asked<FailedGroups>(`${pathOf(id)}/failed`), refetchInterval: FAILED_MS }),
  /** The times of the attempts under a retry window that is not saved yet. Empty: the window of the process. */
  schedule: (retryWindow: string) => ({
    ...asked<RetrySchedule>('/api/retry-schedule', retryWindow === '' ? {} : { retryWindow }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  }),
  create: () => change((body: NewDestination) => call<Destination>('POST', '/api/destinations', { body })),
  update: () => edit<DestinationChange, Destination>('PATCH', pathOf),
  /**
   * Connects or disconnects a source. Starts from the destination's current list: a colleague may have changed it since
   * the page read it.
   */
  connect: () =>
    change(async ({ id, sourceId, isOn }: Connection) => {
      const { revision, sourceIds } = await get<Destination>(pathOf(id));
      const others = sourceIds.filter((other) => other !== sourceId);
      const body = { sourceIds: isOn ? [...others, sourceId] : others };
      return call<Destination>('PATCH', pathOf(id), { body, revision });
    }),
  remove: () => edit<object, void>('DELETE', pathOf),
  pause: () => change((asked: Asked) => changePause('pause', asked)),
  resume: () => change((asked: Asked & Pick<Resume, 'discard'>) => changePause('resume', asked)),
  /** Sends one real message to each URL. The message is not counted. */
  test: () =>
    request(({ id, ...body }: TestCall & { id: string }) =>
      call<TestResult>('POST', `/api/destinations/${id}/test`, { body }),
    ),
  /** What unsaved rules would have done with the messages of the last day. */
  preview: () =>
    request((body: RoutingToPreview) => call<RoutingPreview>('POST', '/api/destinations/preview', { body })),
  /** Checks a URL that is not saved yet. */
  checkUrl: () => request((body: NewUrlCheck) => call<UrlCheck>('POST', '/api/url-checks', { body })),
};

interface Connection {
  /** Id of the destination. */
  readonly id: string;
  readonly sourceId: string;
  readonly isOn: boolean;
}

/** Names a destination, or one of its URLs by its id. */
interface Asked {
  readonly id: string;
  readonly urlId?: string | undefined;
  /** When it was paused, as the page shows it; null if the page shows it as running. */
  readonly pausedSince: string | null;
}

/**
 * Pauses or resumes what the page shows. Other changes of the destination do not prevent it.
 *
 * @throws ApiProblem with code `changed_meanwhile` if it was paused or resumed since the page read it.
 */
async function changePause(
  what: 'pause' | 'resume',
  { id, urlId, pausedSince, ...more }: Asked & Pick<Resume, 'discard'>,
): Promise<Destination> {
  const path = pathOf(id);
  const { revision, paused, settings } = await get<Destination>(path);
  const hold = urlId === undefined ? paused : settings.webhooks.find((url) => url.id === urlId)?.paused;
  if ((hold?.since || null) !== pausedSince) {
    const detail = 'Somebody else has paused or resumed it since.';
    throw new ApiProblem({ code: 'changed_meanwhile', status: 412, detail });
  }
  const body: Resume = { ...(urlId !== undefined && { id: urlId }), ...more };
  return call<Destination>('POST', `${path}/${what}`, { body, revision });
}
