import type { LogEntry } from '../../packages/server/src/core/event.ts';
import type { JsonObject } from '../../packages/server/src/core/json.ts';
import type { Person, TraitValue } from '../../packages/server/src/people/person.ts';
import type { Rules } from '../../packages/server/src/people/rules.ts';

export interface NaivePerson extends Person {
  readonly ids: ReadonlySet<string>;
  readonly userId: string | null;
  readonly audiences: Set<string>;
}

/** Who the calls speak of, with everything they say. A call without any id says something of a group at most. */
export function naivePersons(entries: readonly LogEntry[]): NaivePerson[] {
  const calls = entries.map(({ body, position, sourceId }) => ({
    position,
    sourceId,
    ...(JSON.parse(Buffer.from(body).toString()) as Record<string, never>),
  })) as unknown as Record<string, never>[];
  const idsOf = (call: Record<string, never>): string[] =>
    [call['userId'], call['anonymousId'], call['Previous ID'], call['User ID']].filter((id) => typeof id === 'string');
  let clusters: Set<string>[] = [];
  for (const call of calls) {
    const ids = new Set(idsOf(call));
    if (ids.size === 0) continue;
    const [touching, apart] = [
      clusters.filter((cluster) => !cluster.isDisjointFrom(ids)),
      clusters.filter((cluster) => cluster.isDisjointFrom(ids)),
    ];
    clusters = [...apart, touching.reduce((a, b) => a.union(b), ids)];
  }
  const groups = new Map<string, Map<string, TraitValue & { position: number }>>();
  const put = (
    traits: Map<string, TraitValue & { position: number }>,
    call: Record<string, never>,
    said: JsonObject,
  ): void => {
    const at = Date.parse(call['timestamp'] ?? '');
    for (const [name, value] of Object.entries(said)) {
      const before = traits.get(name);
      const position = Number(call['position']);
      if (before && (before.at > at || (before.at === at && before.position > position))) continue;
      traits.set(name, { value, at, position });
    }
  };
  for (const call of calls) {
    if (call['type'] !== 'group') continue;
    const traits = groups.get(call['groupId'] ?? '') ?? new Map();
    groups.set(call['groupId'] ?? '', traits);
    put(traits, call, call['traits'] as unknown as JsonObject);
  }
  return clusters.map((ids) => {
    const own = calls.filter((call) => idsOf(call).some((id) => ids.has(id)));
    const traits = new Map<string, TraitValue & { position: number }>();
    for (const call of own) if (call['type'] === 'identify') put(traits, call, call['traits'] as unknown as JsonObject);
    const mine = own.filter((call) => call['type'] === 'group').map((call) => String(call['groupId']));
    const events = own
      .filter((call) => ['track', 'page'].includes(call['type'] ?? ''))
      .map((call) => ({
        at: Date.parse(call['timestamp'] ?? ''),
        type: call['type'] as unknown as 'track' | 'page',
        name: (call['event'] ?? call['name'] ?? null) as string | null,
        properties: call['properties'] as unknown as JsonObject,
        messageId: String(call['messageId']),
      }))
      .toSorted((a, b) => a.at - b.at || (a.messageId < b.messageId ? -1 : 1));
    return {
      ids,
      userId: naiveUserId(own),
      traits,
      groups: new Map(
        mine.map((id) => [id, new Map([...(groups.get(id) ?? [])].map(([name, { value }]) => [name, value]))]),
      ),
      events,
      audiences: new Set<string>(),
    };
  });
}

/** The target of the newest alias, else the user id that came up last; among equals the greater one. */
function naiveUserId(calls: readonly Record<string, never>[]): string | null {
  const at = (call: Record<string, never>): number => Date.parse(call['timestamp'] ?? '');
  const firsts = new Map<string, number>();
  const aliases = new Map<string, number>();
  for (const call of calls) {
    const id = call['User ID'] ?? call['userId'];
    if (typeof id !== 'string') continue;
    firsts.set(id, Math.min(firsts.get(id) ?? Infinity, at(call)));
    if (call['type'] === 'alias') aliases.set(id, Math.max(aliases.get(id) ?? -Infinity, at(call)));
  }
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
