import type { FastifyRequest } from 'fastify';
import type { Destination } from '../core/destination.ts';
import { iso } from '../core/instant.ts';
import { MOST_GROUPS_READ, type RejectionGroup, UNKNOWN_KEYS } from '../core/rejection.ts';
import type { FoundText } from '../core/text-search.ts';
import type { Rejection } from '../observe/rejections.ts';
import type { Definition } from '../people/contract.ts';
import type { FoundPerson } from '../people/queries.ts';
import type { EventSummary } from '../record/contract.ts';
import { questionsOf } from './caller.ts';
import type { SearchHit, SearchKind } from './contract.ts';
import type { AdminDeps } from './deps.ts';

/** The most things of one kind on the first page. */
const OF_A_KIND = 10;
/** Characters of a refused call shown around a match. */
const AROUND = 60;

/** Matches in the settings in memory: names and keys that contain the text, ids that begin with it, URLs. */
export async function foundInSettings(
  text: string,
  { settings, people, processSettings }: AdminDeps,
): Promise<SearchHit[]> {
  const folded = text.toLowerCase();
  const matching = <T extends { id: string; name: string }>(
    kind: SearchKind,
    things: readonly T[],
    more: (thing: T) => Words = () => ({}),
  ) =>
    things
      .flatMap((thing) => {
        const hit = whereIn({ id: thing.id, name: thing.name, ...more(thing) }, folded);
        return hit ? [{ ...NOTHING, kind, id: thing.id, name: thing.name, ...hit }] : [];
      })
      .slice(0, OF_A_KIND);
  const key = ({ key }: Definition): Words => ({ key });
  const [audiences, traits] = await Promise.all([
    people.definitions.list('audience'),
    people.definitions.list('trait'),
  ]);
  return [
    ...matching('destination', settings.destinations(), ({ webhooks }: Destination) => ({
      url: webhooks.map(({ url }) => url).find((url) => url.toLowerCase().includes(folded)),
    })),
    ...matching(
      'source',
      settings.sources().filter(({ sentBy }) => sentBy === undefined),
    ),
    ...matching('audience', audiences, key),
    ...matching('trait', traits, key),
    ...matching(
      'setting',
      processSettings.map(({ name, value }) => ({ id: name, name, value })),
      ({ value }) => ({ value }),
    ),
  ];
}

/** Other quick matches: persons, refused calls, write keys (unknown ones too), messages with exactly this id. */
export async function foundAtOnce(text: string, request: FastifyRequest, deps: AdminDeps): Promise<SearchHit[]> {
  const exact = { type: null, event: null, userId: null, from: null, to: null, sourceId: null, cursor: null };
  const [{ items: persons }, messages, unknown, groups] = await Promise.all([
    questionsOf(deps, request).find(text, OF_A_KIND),
    deps.deliveries.events({ ...exact, messageId: text, limit: OF_A_KIND }),
    deps.rejectionGroups.list(UNKNOWN_KEYS),
    deps.rejectionGroups.list(null, MOST_GROUPS_READ),
  ]);
  const refused = [
    ...deps.settings.sources().flatMap(({ id }) => deps.rejections.recent(id)),
    ...groups.map(({ lastAt: at, example: part, ...group }) => ({ ...group, at, part })),
  ].filter(({ sourceId }) => sourceId !== null && deps.settings.source(sourceId));
  const source = deps.settings.sourceByWriteKey(text);
  return [
    ...(source ? [{ ...NOTHING, kind: 'source' as const, id: source.id, name: source.name, why: 'writeKey' }] : []),
    ...persons.map(personHit),
    ...rejectionHits(refused, text).slice(0, OF_A_KIND),
    ...unknown.flatMap((group) => unknownKeyHits(group, text)).slice(0, OF_A_KIND),
    ...messages.items.map((event) => messageHit({ ...event, name: event.event, why: 'messageId', excerpt: null })),
  ];
}

export function messageHit(from: Omit<EventSummary, 'event'> & Pick<FoundText, 'name' | 'why' | 'excerpt'>): SearchHit {
  const { messageId, position, sourceId, type, name, userId, receivedAt, why, excerpt } = from;
  return {
    ...{ ...NOTHING, kind: 'message', id: messageId, position, sourceId, type, event: name, userId },
    ...{ receivedAt: iso(receivedAt), why, excerpt },
  };
}

const NOTHING = {
  ...{ name: null, position: null, sourceId: null, type: null, event: null, userId: null },
  ...{ receivedAt: null, excerpt: null },
} satisfies Partial<SearchHit>;

type Words = Readonly<Record<string, string | undefined>>;

/** The first field that contains the text, or for an id begins with it. */
function whereIn(words: Words, folded: string): Pick<SearchHit, 'why' | 'excerpt'> | null {
  for (const [why, word] of Object.entries(words)) {
    const at = word?.toLowerCase().indexOf(folded) ?? -1;
    if (word !== undefined && (why === 'id' ? at === 0 : at >= 0)) return { why, excerpt: word };
  }
  return null;
}

function personHit({ id, userId, trait, value }: FoundPerson): SearchHit {
  return { ...NOTHING, kind: 'person', id, userId, why: trait ?? 'id', excerpt: value };
}

type Refused = Pick<Rejection, 'sourceId' | 'at' | 'message' | 'part'> & { readonly code: string };

/** Each refusal once: the latest refused call is also the example of its group. */
function rejectionHits(refused: readonly Refused[], text: string): SearchHit[] {
  const folded = text.toLowerCase();
  const hits = refused.flatMap(({ sourceId, at, code, message, part }): SearchHit[] => {
    const hit = whereIn({ code, message, payload: part }, folded);
    if (!hit) return [];
    const from = Math.max(0, part.toLowerCase().indexOf(folded) - AROUND);
    const excerpt = hit.why === 'payload' ? part.slice(from, from + 2 * AROUND + text.length).toWellFormed() : message;
    const id = `${sourceId} ${iso(at)}`;
    return [{ ...NOTHING, kind: 'rejection', id, name: code, sourceId, receivedAt: iso(at), why: hit.why, excerpt }];
  });
  return [...new Map(hits.map((hit) => [`${hit.id} ${hit.excerpt}`, hit])).values()];
}

/** Only the end of an unknown key is stored: a text with the same end counts as the whole key. */
function unknownKeyHits({ code, key, address, userAgent, lastAt }: RejectionGroup, text: string): SearchHit[] {
  const end = key?.slice(-4) ?? '';
  const isKey = key !== end && text.length > 8 && text.endsWith(end);
  const words = { writeKey: key ?? '', address: address ?? '', userAgent: userAgent ?? '', code };
  const hit = isKey ? { why: 'writeKey' } : whereIn(words, text.toLowerCase());
  if (!hit) return [];
  const at = iso(lastAt);
  const excerpt = `${key || 'no key'} from ${address}, ${userAgent || 'no user agent'}`;
  const id = `${key} ${address} ${at}`;
  return [{ ...NOTHING, kind: 'rejection', id, name: code, receivedAt: at, why: hit.why, excerpt }];
}
