import type { Call } from './call.ts';
import type { Identity, PersonUnion } from './contract.ts';

/** What a batch of calls does to who is who. */
export interface Links {
  /** The person each id of the batch stands for now. */
  readonly personOf: ReadonlyMap<string, number>;
  /** Identities that are new or changed. */
  readonly changed: readonly Identity[];
  /** Persons that became part of another one. */
  readonly unions: readonly PersonUnion[];
}

/**
 * Who the calls of a batch speak of. Every id that a call carries (userId, anonymousId, an alias's previous id) is an
 * identity, whichever of these it is called: calls that carry two ids make them one person. The union has the number of
 * its oldest person. `known` are the identities of the batch that are stored, `newPerson` gives a number never used.
 *
 * The outcome for a set of calls is the same in whatever order and batches they come, but for the numbers.
 */
export function linkCalls(calls: readonly Call[], known: readonly Identity[], newPerson: () => number): Links {
  const identities = new Map(known.map((identity) => [identity.id, identity]));
  const changed = new Map<string, Identity>();
  // Which person became which; a number that is not a key is itself.
  const became = new Map<number, number>();
  const rootOf = (person: number): number => {
    let root = person;
    for (let next = became.get(root); next !== undefined; next = became.get(root)) root = next;
    return root;
  };
  for (const call of calls) {
    const ids = idsOf(call);
    let person: number | null = null;
    for (const id of ids) {
      const identity = identities.get(id);
      if (!identity) continue;
      const root = rootOf(identity.person);
      if (person === null || person === root) person = root;
      else {
        const into = Math.min(person, root);
        became.set(Math.max(person, root), into);
        person = into;
      }
    }
    person ??= newPerson();
    for (const id of ids) {
      const before = identities.get(id);
      const after = mentioned(before ?? { id, person, since: null, aliased: null }, call);
      if (after === before) continue;
      identities.set(id, after);
      changed.set(id, after);
    }
  }
  const personOf = new Map([...identities.values()].map(({ id, person }) => [id, rootOf(person)]));
  return {
    personOf,
    changed: [...changed.values()].map((identity) => ({ ...identity, person: rootOf(identity.person) })),
    unions: [...became.keys()].map((from) => ({ from, into: rootOf(from) })),
  };
}

/** The ids a call carries, the one it speaks of first. */
export function idsOf({ userId, anonymousId, previousId }: Call): string[] {
  const ids: string[] = [];
  for (const id of [userId, anonymousId, previousId]) if (id !== null && !ids.includes(id)) ids.push(id);
  return ids;
}

/** The identity with what this call adds to it; the same object when that is nothing. */
function mentioned(identity: Identity, { userId, at, said }: Call): Identity {
  if (identity.id !== userId) return identity;
  const since = Math.min(identity.since ?? at, at);
  const aliased = said.type === 'alias' ? Math.max(identity.aliased ?? at, at) : identity.aliased;
  return since === identity.since && aliased === identity.aliased ? identity : { ...identity, since, aliased };
}

/**
 * The user id a person is spoken to by, of all ids that calls have carried as userId: the target of the newest alias, if
 * there was an alias; else the one that was first carried last. Times are the calls' timestamps, so the order of arrival
 * makes no difference; where times are equal the greater id wins. Null when no call carried a userId.
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
