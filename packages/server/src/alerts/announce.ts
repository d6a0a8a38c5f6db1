import type { Address, Incident, Notice, NoticeType } from './contract.ts';
import type { Change } from './evaluate.ts';

const MINUTE = 60_000;
/** More incidents than this that change at once, or begin within a minute, are told as one. */
const MOST_SINGLE = 10;
/** Incidents that one notice has; the others it counts. */
const MOST_NAMED = 100;

/**
 * The notices of some changes, for each address.
 *
 * @param known incidents before these changes.
 */
export function announce(
  changes: readonly Change[],
  addresses: readonly Pick<Address, 'id'>[],
  known: readonly Incident[],
  now: number,
): Notice[] {
  const begun = known.filter(({ updates, toldAt }) => updates.length === 0 && toldAt > now - MINUTE).length;
  const byType = Map.groupBy(changes, ({ type }) => type);
  return [...byType].flatMap(([type, some]) => {
    if (type === null) return [];
    const incidents = some.map(({ incident }) => incident);
    const isStorm = incidents.length + (type === 'opened' ? begun : 0) > MOST_SINGLE;
    const groups = isStorm ? [incidents] : incidents.map((incident) => [incident]);
    return groups.flatMap((group) => addresses.map(({ id }) => noticeOf(type, group, id, now)));
  });
}

export function noticeOf(type: NoticeType, all: readonly Incident[], addressId: string, now: number): Notice {
  const incidents = all.length === 1 ? all : all.slice(0, MOST_NAMED).map((one) => ({ ...one, updates: [] }));
  const [first] = incidents;
  return {
    id: `${first?.id ?? 'test'}.${type}.${now}.${addressId}`,
    ...{ addressId, type, incidents, count: all.length, createdAt: now },
    ...{ rounds: 0, firstAt: null, dueAt: now },
  };
}
