import type { LogEntry } from '../../packages/server/src/core/event.ts';
import type { JsonObject } from '../../packages/server/src/core/json.ts';
import type { Person, TraitValue } from '../../packages/server/src/people/person.ts';
import type { Rules } from '../../packages/server/src/people/rules.ts';

export interface NaivePerson extends Person {
  readonly ids: ReadonlySet<string>;
  readonly userId: string | null;
  readonly audiences: Set<string>;
}

/** An accepted call, or the moment at which the persons of these user ids were erased. */
export type Past = LogEntry | { readonly erased: readonly string[] };

type Said = Readonly<Record<string, never>> & { readonly position: number };

/** `left`: the id that an alias of a server left behind. */
type Kind = 'user' | 'anonymous' | 'left';

interface Known {
  readonly ids: Map<string, Kind>;
  readonly calls: Said[];
  /** When each id was named first as userId, and last as the target of a server's alias. */
  readonly firsts: Map<string, number>;
  readonly aliases: Map<string, number>;
}

/** Who the calls speak of, one after the other, with everything they say. A call without any id says nothing. */
export function naivePersons(history: readonly Past[], isServer: (sourceId: string) => boolean): NaivePerson[] {
  let known: Known[] = [];
  const groups = new Map<string, Traits>();
  const ownerOf = (id: string): Known | undefined => known.find(({ ids }) => ids.has(id));
  const kindOf = (id: string): Kind | undefined => ownerOf(id)?.ids.get(id);
  const isUser = (id: string): boolean => ['user', 'left'].includes(kindOf(id) ?? '');
  const hasUser = ({ ids }: Known): boolean => [...ids.values()].some((kind) => kind !== 'anonymous');
  const create = (): Known => {
    const made = { ids: new Map(), calls: [], firsts: new Map(), aliases: new Map() };
    known.push(made);
    return made;
  };
  const merge = (from: Known, into: Known): void => {
    if (from === into) return;
    for (const [id, kind] of from.ids) into.ids.set(id, kind);
    for (const [id, at] of from.firsts) into.firsts.set(id, at);
    for (const [id, at] of from.aliases) into.aliases.set(id, at);
    into.calls.push(...from.calls);
    known = known.filter((each) => each !== from);
  };
  const give = (id: string, person: Known): void => {
    const owner = ownerOf(id);
    if (owner === person || isUser(id)) return;
    if (owner && !hasUser(owner)) merge(owner, person);
    owner?.ids.delete(id);
    person.ids.set(id, 'anonymous');
  };
  const userOf = (id: string): Known => {
    const owner = ownerOf(id);
    const person = owner && (isUser(id) || !hasUser(owner)) ? owner : create();
    if (owner !== person) owner?.ids.delete(id);
    person.ids.set(id, 'user');
    return person;
  };
  const put = (traits: Traits, call: Said, said: JsonObject): void => {
    for (const [name, value] of Object.entries(said)) {
      const before = traits.get(name);
      const [at, { position }] = [timeOf(call), call];
      if (before && (before.at > at || (before.at === at && before.position > position))) continue;
      traits.set(name, { value, at, position });
    }
  };
  for (const past of history) {
    if ('erased' in past) {
      const gone = new Set(past.erased.map(ownerOf));
      known = known.filter((each) => !gone.has(each));
      continue;
    }
    const { body, position, sourceId } = past;
    const call = { ...JSON.parse(Buffer.from(body).toString()), position } as Said;
    const isAlias = call['type'] === 'alias';
    const userId = textIn(call, isAlias ? 'User ID' : 'userId');
    const [anonymousId, previousId] = [textIn(call, 'anonymousId'), textIn(call, 'Previous ID')];
    let person: Known | undefined;
    if (userId !== null) {
      person = userOf(userId);
      person.firsts.set(userId, Math.min(person.firsts.get(userId) ?? Infinity, timeOf(call)));
      if (isAlias && isServer(sourceId)) {
        person.aliases.set(userId, Math.max(person.aliases.get(userId) ?? -Infinity, timeOf(call)));
      }
      if (anonymousId !== null && anonymousId !== userId) give(anonymousId, person);
      if (previousId !== null && previousId !== userId) {
        const previous = ownerOf(previousId);
        if (!isServer(sourceId)) {
          if (previous) give(previousId, person);
        } else if (!previous) person.ids.set(previousId, 'left');
        else if (isUser(previousId)) merge(previous, person);
        else give(previousId, person);
      }
    } else if (anonymousId !== null) {
      person = ownerOf(anonymousId) ?? create();
      if (!ownerOf(anonymousId)) person.ids.set(anonymousId, 'anonymous');
    }
    if (!person) continue;
    person.calls.push(call);
    if (call['type'] !== 'group') continue;
    const group = groups.get(call['groupId'] ?? '') ?? new Map();
    groups.set(call['groupId'] ?? '', group);
    put(group, call, call['traits'] as unknown as JsonObject);
  }
  return known.map(({ ids, calls, firsts, aliases }) => {
    const traits: Traits = new Map();
    for (const call of calls) {
      if (call['type'] === 'identify') put(traits, call, call['traits'] as unknown as JsonObject);
    }
    const mine = calls.filter((call) => call['type'] === 'group').map((call) => String(call['groupId']));
    const events = calls
      .filter((call) => ['track', 'page'].includes(call['type'] ?? ''))
      .map((call) => ({
        at: timeOf(call),
        type: call['type'] as unknown as 'track' | 'page',
        name: (call['event'] ?? call['name'] ?? null) as string | null,
        properties: call['properties'] as unknown as JsonObject,
        messageId: String(call['messageId']),
      }))
      .toSorted((a, b) => a.at - b.at || (a.messageId < b.messageId ? -1 : 1));
    return {
      ids: new Set(ids.keys()),
      userId: naiveUserId(firsts, aliases),
      traits,
      groups: new Map(
        mine.map((id) => [id, new Map([...(groups.get(id) ?? [])].map(([name, { value }]) => [name, value]))]),
      ),
      events,
      audiences: new Set<string>(),
    };
  });
}

type Traits = Map<string, TraitValue & { position: number }>;

function timeOf(call: Said): number {
  return Date.parse(call['timestamp'] ?? '');
}

function textIn(call: Said, name: string): string | null {
  const value: unknown = call[name];
  return typeof value === 'string' ? value : null;
}

/** The target of the newest alias of a server, else the user id that came up last; among equals the greater one. */
function naiveUserId(firsts: ReadonlyMap<string, number>, aliases: ReadonlyMap<string, number>): string | null {
  const ranked = [...firsts.keys()].toSorted(
    (a, b) =>
      (aliases.get(b) ?? -1) - (aliases.get(a) ?? -1) ||
      (firsts.get(b) ?? 0) - (firsts.get(a) ?? 0) ||
      (a < b ? 1 : -1),
  );
  return ranked[0] ?? null;
}

/** The value of each definition for a person at a time; fills in their audiences. */
export function naiveValues(person: NaivePerson, rules: Rules, now: number): Map<string, string> {
  person.audiences.clear();
  const values = new Map<string, string>();
  for (const rule of rules.order) {
    const { value } = rule.decide(person, now);
    if (value === null) continue;
    values.set(rule.definition.id, value);
    if ('audience' in rule.definition.what) person.audiences.add(rule.definition.id);
  }
  return values;
}
