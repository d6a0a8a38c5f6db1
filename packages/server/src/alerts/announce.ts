import type { Address, Incident, Notice, NoticeType } from './contract.ts';
import type { Change } from './evaluate.ts';

const MINUTE = 60_000;
/** If more incidents than this change at once, or begin within a minute, one notice reports them together. */
const MOST_SINGLE = 10;
/** The most incidents that one notice contains. Further ones are only counted. */
const MOST_NAMED = 100;

/**
 * The notices of these changes: for each address, one per change, or one per type of change if there are many.
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
