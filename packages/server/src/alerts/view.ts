import type { Incident, IncidentNumbers } from './contract.ts';

/** An incident as callers of the API and receivers of notices see it. */
export function incidentView(incident: Incident, snoozedUntil: number | null): IncidentView {
  const { id, rule, also, cause, subject, state, since, endedAt, numbers, sample, updates, recovery } = incident;
  return {
    ...{ id, rule, also, cause, subject, state },
    since: iso(since),
    endedAt: endedAt === null ? null : iso(endedAt),
    numbers: numbersView(numbers),
    sample,
    updates: updates.map((update) => ({ at: iso(update.at), numbers: numbersView(update.numbers) })),
    snoozedUntil: snoozedUntil === null ? null : iso(snoozedUntil),
    recovery,
  };
}

/** Times are ISO 8601 UTC. */
export interface IncidentView
  extends Pick<Incident, 'id' | 'rule' | 'also' | 'cause' | 'subject' | 'state' | 'sample' | 'recovery'>,
    Record<'since', string>,
    Record<'endedAt' | 'snoozedUntil', string | null> {
  numbers: NumbersView;
  updates: { at: string; numbers: NumbersView }[];
}

interface NumbersView extends Omit<IncidentNumbers, 'oldestWaitingAt'> {
  oldestWaitingAt: string | null;
}

function numbersView({ oldestWaitingAt, ...numbers }: IncidentNumbers): NumbersView {
  return { ...numbers, oldestWaitingAt: oldestWaitingAt === null ? null : iso(oldestWaitingAt) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
