import { iso, isoOrNull } from '../core/instant.ts';
import type { Incident, IncidentNumbers } from './contract.ts';

/** An incident as the API and notices show it. */
export function incidentView(incident: Incident, { snoozedUntil, endsAt }: IncidentTimes): IncidentView {
  const { id, rule, also, cause, subject, state, since, endedAt, numbers, sample, updates, recovery } = incident;
  const clearSince = endsAt === null ? null : incident.clearSince;
  return {
    ...{ id, rule, also, cause, subject, state },
    since: iso(since),
    endedAt: isoOrNull(endedAt),
    numbers: numbersView(numbers),
    sample,
    updates: updates.map((update) => ({ at: iso(update.at), numbers: numbersView(update.numbers) })),
    snoozedUntil: isoOrNull(snoozedUntil),
    clearSince: isoOrNull(clearSince),
    endsAt: isoOrNull(endsAt),
    recovery,
  };
}

/** Times that depend on the settings and the current time, milliseconds since the epoch; null if there is none. */
interface IncidentTimes {
  readonly snoozedUntil: number | null;
  /** The answer of `endsAt` in evaluate.ts. */
  readonly endsAt: number | null;
}

/** Times are ISO 8601 UTC. */
export interface IncidentView
  extends Pick<Incident, 'id' | 'rule' | 'also' | 'cause' | 'subject' | 'state' | 'sample' | 'recovery'>,
    Record<'since', string>,
    Record<'endedAt' | 'snoozedUntil' | 'clearSince' | 'endsAt', string | null> {
  numbers: NumbersView;
  updates: { at: string; numbers: NumbersView }[];
}

interface NumbersView extends Omit<IncidentNumbers, 'oldestWaitingAt'> {
  oldestWaitingAt: string | null;
}

function numbersView({ oldestWaitingAt, ...numbers }: IncidentNumbers): NumbersView {
  return { ...numbers, oldestWaitingAt: isoOrNull(oldestWaitingAt) };
}
