import type { Call } from './call.ts';
import type { Identity, PersonUnion, Unjoined } from './contract.ts';
import { IDENTITY_RULES, type IdentityRules } from './identity-rules.ts';

/** Who is who after a batch of calls. */
export interface Links {
  /** The person of each call, in the order of the calls; null for a call that names no person. */
  readonly persons: readonly (number | null)[];
  /** Identities that are new or changed. */
  readonly changed: readonly Identity[];
  /** Persons that became part of another one. */
  readonly unions: readonly PersonUnion[];
  /** Ids that stood together in a call and were not joined; the newest for each person and id. */
  readonly unjoined: readonly Unjoined[];
}

export type IdentitiesById = ReadonlyMap<string, Identity>;

/** What the store knows of the ids in the calls. */
export interface KnownIdentities {
  readonly known: IdentitiesById;
  /** All identities of the persons of `mayJoin`. */
  readonly whole: readonly Identity[];
}

/**
 * Who the calls of a batch speak of, in the order of the calls (contract 10.4):
 *
 * - `userId` goes before `anonymousId`. A call that carries both gives the anonymous id to the person of the user id. A
 *   person known by anonymous ids alone becomes part of that person; an anonymous id that is another user's already joins
 *   no users: it belongs to the newer user from then on, and what it did before stays where it was.
 * - Two user ids become one person only by an alias of a server source. One of a web or mobile source, whose key is public,
 *   gives an anonymous id that was seen to a user, and does nothing else.
 * - A user id never becomes anybody's anonymous id.
 *
 * A union has the number of its oldest person. `newPerson` gives a number never used.
 */
export function linkCalls(
  calls: readonly Call[],
  stored: KnownIdentities,
  newPerson: () => number,
  rules: IdentityRules = IDENTITY_RULES,
): Links {
  const linker = new Linker(stored, newPerson, rules);
  const persons = calls.map((call) => linker.personOf(call));
  return { persons: persons.map((person) => person && linker.rootOf(person)), ...linker.changes() };
}

/** The persons whom calls may join, or from whom they may take an id: all identities of these must be known. */
export function mayJoin(calls: readonly Call[], known: IdentitiesById): readonly number[] {
  const persons = new Set<number>();
  for (const call of calls) {
    const ids = idsOf(call);
    const named = ids.flatMap((id) => known.get(id) ?? []);
    const [first] = named;
    const isNewUser = first !== undefined && first.id === call.userId && !isUser(first);
    const isOne = named.length === ids.length && named.every(({ person }) => person === first?.person);
    if (isNewUser || !isOne) for (const { person } of named) persons.add(person);
  }
  return [...persons];
}

/** Most persons that the calls may create. */
export function mayBeNew(calls: readonly Call[], known: IdentitiesById): number {
  const isKnownUser = (id: string): boolean => {
    const identity = known.get(id);
    return identity !== undefined && isUser(identity);
  };
  return calls.filter(({ userId, anonymousId }) =>
    userId === null ? anonymousId !== null && !known.has(anonymousId) : !isKnownUser(userId),
  ).length;
}

/** The newest of each person and id. */
export function newestUnjoined(all: readonly Unjoined[]): Unjoined[] {
  const oldestFirst = all.toSorted((a, b) => a.at - b.at);
  return [...new Map(oldestFirst.map((one) => [`${one.person} ${one.id}`, one])).values()];
}

/** The ids of a call, the caller's own first. */
export function idsOf({ userId, anonymousId, previousId }: Call): string[] {
  const ids: string[] = [];
  for (const id of [userId, anonymousId, previousId]) if (id !== null && !ids.includes(id)) ids.push(id);
  return ids;
}

/** Whether a call carried the id as userId, or a server's alias named it as the earlier id; otherwise it was only an anonymousId. */
export function isUser({ since, aliased }: Identity): boolean {
  return since !== null || aliased !== null;
}

const ONE_ANONYMOUS: Counted = { users: 0, anonymous: 1 };

interface Counted {
  users: number;
  anonymous: number;
}

class Linker {
  readonly #identities: Map<string, Identity>;
  readonly #changed = new Map<string, Identity>();
  /** Persons that became part of another one; a number without an entry stands for itself. */
  readonly #became = new Map<number, number>();
  /** How many ids each of the completely known persons has. */
  readonly #counts = new Map<number, Counted>();
  /** In the order of the calls. The persons may have been united since. */
  readonly #unjoined: Unjoined[] = [];
  readonly #newPerson: () => number;
  readonly #rules: IdentityRules;

  constructor({ known, whole }: KnownIdentities, newPerson: () => number, rules: IdentityRules) {
    this.#identities = new Map(known);
    for (const identity of whole) this.#count(identity.person, identity, 1);
    this.#newPerson = newPerson;
    this.#rules = rules;
  }

  /** The person of a call, after joining what the call joins. */
  personOf(call: Call): number | null {
    const { userId, anonymousId, previousId } = call;
    if (userId === null) return anonymousId === null ? null : this.#anonymous(anonymousId);
    const person = this.#user(userId, call);
    if (anonymousId !== null && anonymousId !== userId) this.#give(anonymousId, person, true, call);
    if (previousId === null || previousId === userId) return person;
    if (call.isServer) return this.#join(previousId, person, call);
    this.#give(previousId, person, false, call);
    return person;
  }

  rootOf(person: number): number {
    let root = person;
    for (let next = this.#became.get(root); next !== undefined; next = this.#became.get(root)) root = next;
    return root;
  }

  changes(): Pick<Links, 'changed' | 'unions' | 'unjoined'> {
    const unjoined = this.#unjoined.map((one) => ({ ...one, person: this.rootOf(one.person) }));
    return {
      unjoined: newestUnjoined(unjoined),
      changed: [...this.#changed.values()].map((identity) => ({ ...identity, person: this.rootOf(identity.person) })),
      unions: [...this.#became.keys()].map((from) => ({ from, into: this.rootOf(from) })),
    };
  }

  #anonymous(id: string): number {
    const identity = this.#identities.get(id);
    if (identity) return this.rootOf(identity.person);
    const person = this.#newPerson();
    this.#put({ id, person, since: null, aliased: null });
    return person;
  }

  #user(id: string, call: Call): number {
    const before = this.#identities.get(id);
    const person = this.#personOfUser(before);
    const since = Math.min(before?.since ?? call.at, call.at);
    // The time of an earlier id says only that it was one.
    const wasAliased = before?.since == null ? null : before.aliased;
    const isTarget = call.said.type === 'alias' && call.isServer;
    const aliased = isTarget ? Math.max(wasAliased ?? call.at, call.at) : wasAliased;
    const isSame =
      before && this.rootOf(before.person) === person && before.since === since && before.aliased === aliased;
    if (!isSame) this.#put({ id, person, since, aliased });
    return person;
  }

  /** An anonymous id that turns out to be a user's own id leaves the user it was given to. */
  #personOfUser(before: Identity | undefined): number {
    if (before === undefined) return this.#newPerson();
    const person = this.rootOf(before.person);
    return isUser(before) || this.#countsOf(person).users === 0 ? person : this.#newPerson();
  }

  /** Gives an anonymous id to a user's person where the rules allow it. */
  #give(id: string, person: number, mayBeUnseen: boolean, call: Call): void {
    const root = this.rootOf(person);
    const identity = this.#identities.get(id);
    if (!identity) {
      if (!mayBeUnseen) this.#refuse(id, root, 'unknown', call);
      else if (!this.#hasRoom(root, ONE_ANONYMOUS)) this.#refuse(id, root, 'limit', call);
      else this.#put({ id, person: root, since: null, aliased: null });
      return;
    }
    const owner = this.rootOf(identity.person);
    if (owner === root) return;
    const owned = this.#countsOf(owner);
    if (isUser(identity)) this.#refuse(id, root, 'user', call);
    else if (owned.users === 0) this.#unite(owner, root, id, call);
    else if (!this.#hasRoom(root, ONE_ANONYMOUS)) this.#refuse(id, root, 'limit', call);
    else this.#put({ ...identity, person: root });
  }

  /** A server says that two ids are one person's. Answers that person. */
  #join(id: string, person: number, call: Call): number {
    const root = this.rootOf(person);
    const identity = this.#identities.get(id);
    if (identity && isUser(identity)) this.#unite(this.rootOf(identity.person), root, id, call);
    else if (identity) this.#give(id, root, true, call);
    else if (!this.#hasRoom(root, { users: 1, anonymous: 0 })) this.#refuse(id, root, 'limit', call);
    else this.#put({ id, person: root, since: null, aliased: call.at });
    return this.rootOf(root);
  }

  #refuse(id: string, person: number, why: Unjoined['why'], { sourceId, at }: Call): void {
    this.#unjoined.push({ person, id, sourceId, why, at });
  }

  #unite(one: number, other: number, id: string, call: Call): void {
    if (one === other) return;
    if (!this.#hasRoom(other, this.#countsOf(one))) {
      this.#refuse(id, other, 'limit', call);
      return;
    }
    const [into, from] = one < other ? [one, other] : [other, one];
    const [kept, added] = [this.#countsOf(into), this.#countsOf(from)];
    this.#counts.set(into, { users: kept.users + added.users, anonymous: kept.anonymous + added.anonymous });
    this.#became.set(from, into);
  }

  #hasRoom(person: number, more: Readonly<Counted>): boolean {
    const { users, anonymous } = this.#countsOf(person);
    const { userIds, anonymousIds } = this.#rules;
    // Persons that were joined before there were bounds stay; they only grow no further.
    const fits = (now: number, added: number, most: number): boolean => added === 0 || now + added <= most;
    return fits(users, more.users, userIds) && fits(anonymous, more.anonymous, anonymousIds);
  }

  #put(identity: Identity): void {
    const before = this.#identities.get(identity.id);
    if (before) this.#count(this.rootOf(before.person), before, -1);
    this.#count(this.rootOf(identity.person), identity, 1);
    this.#identities.set(identity.id, identity);
    this.#changed.set(identity.id, identity);
  }

  #countsOf(person: number): Counted {
    const counted = this.#counts.get(person) ?? { users: 0, anonymous: 0 };
    this.#counts.set(person, counted);
    return counted;
  }

  #count(person: number, identity: Identity, by: number): void {
    this.#countsOf(person)[isUser(identity) ? 'users' : 'anonymous'] += by;
  }
}

/**
 * The userId under which messages about a person are sent, of all ids that calls carried as userId: the target of the newest
 * alias of a server source; where there is none, the id that was first carried last. Times are the calls' timestamps; of equal
 * times the greater id wins. Null where no call carried a userId.
 */
export function canonicalUserId(identities: readonly Identity[]): string | null {
  let best: Identity | null = null;
  for (const identity of identities) {
    if (identity.since !== null && (best === null || outranks(identity, best))) best = identity;
  }
  return best?.id ?? null;
}

function outranks(a: Identity, b: Identity): boolean {
  const aliases = (a.aliased ?? -Infinity) - (b.aliased ?? -Infinity);
  if (aliases > 0 || aliases < 0) return aliases > 0;
  const since = (a.since ?? -Infinity) - (b.since ?? -Infinity);
  return since === 0 ? a.id > b.id : since > 0;
}
