import { iso, isoOrNull } from '../core/instant.ts';
import { revisionOf } from '../core/revision.ts';
import type { Definition, EventPlace, MemberPlace } from '../people/contract.ts';
import type { EventsPage, PersonView } from '../people/person-view.ts';
import type { FoundPerson, KnownMember, KnownPerson, ValuedPerson } from '../people/queries.ts';
import type * as why from '../people/why.ts';
import type { Connected } from './audited.ts';
import type * as contract from './contract.ts';
import { cursorParts, sealCursor } from './cursor.ts';
import { picked, times } from './views.ts';

/** The common fields of audiences and computed traits. */
export type CommonView = Omit<contract.Audience, 'definition'>;

/** @param rebuilding whether profiles are being rebuilt: meanwhile nothing is decided. */
export function commonView(from: Connected, rebuilding: boolean): CommonView {
  return {
    ...picked(from, 'id', 'name', 'key', 'sourceId', 'size', 'destinationIds'),
    ...(rebuilding ? { state: 'computing', progress: 0 } : stateOf(from.job)),
    ...times(from, 'sentAt', 'createdAt', 'updatedAt'),
    revision: revisionOf(from),
  };
}

function stateOf(job: Definition['job']): Pick<CommonView, 'state' | 'progress'> {
  if (!job) return { state: 'live', progress: null };
  const progress = job.total === 0 ? 0 : Math.min(1, job.done / job.total);
  return { state: job.kind === 'sync' ? 'syncing' : 'computing', progress };
}

export function foundPersonView({ userId, id, trait, value }: FoundPerson): contract.FoundPerson {
  return { userId, id, foundBy: { trait, value } };
}

export function personNameView({ userId, id }: KnownPerson): contract.PersonName {
  return { userId, id };
}

/** @param value JSON. */
export function memberView({ value, ...person }: ValuedPerson): contract.Member {
  return { ...personNameView(person), value: JSON.parse(value) as unknown };
}

export function listedMemberView(member: KnownMember): contract.ListedMember {
  const { since, ids, names } = member;
  return { ...memberView(member), joinedAt: isoOrNull(since), ids, names };
}

export function eventsView({ items, next }: EventsPage): contract.Page<contract.PersonEvent> {
  return {
    items: items.map(({ at, type, name, properties, messageId }) => {
      return { at: iso(at), type, name, properties, messageId };
    }),
    next: next && sealCursor(`${next.at} ${next.messageId}`),
  };
}

/** The cursor for the page after a member. */
export function sealMember({ since, person }: MemberPlace): string {
  return sealCursor(`${since ?? 0} ${person}`);
}

/** The member in a cursor. @throws InvalidInput for a cursor of another list. */
export function openMember(cursor: string): MemberPlace {
  const [since = 0, person = 0] = cursorParts(cursor, /^(-?\d{1,15}) (-?\d{1,15})$/).map(Number);
  return { since, person };
}

/** The event in a cursor. @throws InvalidInput for a cursor of another list. */
export function openEvent(cursor: string): EventPlace {
  const [at, messageId = ''] = cursorParts(cursor, /^(-?\d{1,15}) (.*)$/s);
  return { at: Number(at), messageId };
}

/** @param id the id in the request. */
export function personView(from: PersonView, id: string, definitions: readonly Definition[]): contract.Person {
  const events = eventsView(from.events);
  const owner = (definitionId: string): { id: string; name: string; key: string }[] =>
    definitions.filter((one) => one.id === definitionId).map(({ id, name, key }) => ({ id, name, key }));
  return {
    userId: from.userId,
    id: from.userId ?? id,
    identities: from.identities.map(({ id: identity, since, aliased }) => {
      return { id: identity, userIdSince: isoOrNull(since), aliasedAt: isoOrNull(aliased) };
    }),
    notJoined: from.unjoined.map(({ id: other, sourceId, why, at }) => ({ id: other, sourceId, why, at: iso(at) })),
    traits: from.traits.map(({ name, value, at }) => ({ name, value, at: iso(at) })),
    groups: from.groups.map(({ id, traits }) => ({ id, traits })),
    notShown: from.notShown,
    events: events.items,
    nextEvents: events.next,
    audiences: from.audiences.flatMap(owner),
    computedTraits: from.computed.flatMap(({ definitionId, value }) =>
      owner(definitionId).map((one) => ({ ...one, value })),
    ),
  };
}

export function reasonView(from: why.Reason): contract.Reason {
  const decided = { value: from.value, changesAt: isoOrNull(from.changesAt) };
  if ('all' in from) return { ...decided, all: from.all.map(reasonView) };
  if ('any' in from) return { ...decided, any: from.any.map(reasonView) };
  if ('not' in from) return { ...decided, not: reasonView(from.not) };
  if ('trait' in from) {
    const { trait, found } = from;
    return { ...decided, trait, found: found && { value: found.value, at: iso(found.at) } };
  }
  if ('groupTrait' in from) {
    const { groupTrait, found } = from;
    return { ...decided, groupTrait, found: found.map(({ groupId, value }) => ({ groupId, value })) };
  }
  if ('events' in from) {
    const { events, newest } = from;
    return { ...decided, events, newest: newest.map(({ messageId, at }) => ({ messageId, at: iso(at) })) };
  }
  return { ...decided, audience: from.audience };
}
