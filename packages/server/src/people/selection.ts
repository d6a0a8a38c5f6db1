import { readInstant } from '../core/instant.ts';
import type { JsonObject } from '../core/json.ts';
import { propertyReader } from '../core/property-path.ts';
import type { EventSelection, Period } from './definition.ts';
import type { Person, PersonEvent } from './person.ts';
import { ALWAYS, overlap, type Span } from './span.ts';
import { compileTest, DAY_MS, HOUR_MS } from './value-span.ts';

export type Where = NonNullable<EventSelection['where']>;

/** Calls `found` for each selected event that counts now or later, newest first, with the time in which it counts. */
export type Selection = (person: Person, now: number, found: (event: PersonEvent, span: Span) => void) => void;

export function compileSelection(selection: EventSelection, during: Period | undefined): Selection {
  const { type = 'track', name, where = [] } = selection;
  const passes = compileWhere(where);
  const { from, to, length } = readPeriod(during);
  return (person, now, found) => {
    const { events } = person;
    for (let i = events.length - 1; i >= 0; i--) {
      const event = events[i] as PersonEvent;
      const until = event.at + length;
      // Events are sorted: those before this one have left the period too.
      if (until <= now || event.at < from) return;
      if (event.type !== type || (name !== undefined && event.name !== name) || event.at >= to) continue;
      // A store keeps properties as JSON, and parses it where they are asked for.
      const fitting = where.length === 0 ? ALWAYS : passes(event.properties);
      const span = fitting && overlap(fitting, { from: event.at, until });
      if (span && span.until > now) found(event, span);
    }
  };
}

/** When the properties pass every test; null for never. */
export function compileWhere(where: Where): (properties: JsonObject) => Span | null {
  const tests = where.map(({ property, is }) => ({ read: propertyReader(property), test: compileTest(is) }));
  return (properties) => {
    let span: Span = ALWAYS;
    for (const { read, test } of tests) {
      const fitting = test(read(properties));
      const both = fitting && overlap(span, fitting);
      if (!both) return null;
      span = both;
    }
    return span;
  };
}

/** A period in milliseconds: from ≤ time < to, and each event for `length` from its time on. Infinite where open. */
export function readPeriod(during: Period | undefined): { from: number; to: number; length: number } {
  const open = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY };
  if (during === undefined) return open;
  if ('lastHours' in during) return { ...open, length: during.lastHours * HOUR_MS };
  if ('lastDays' in during) return { ...open, length: during.lastDays * DAY_MS };
  return {
    ...open,
    from: during.from === undefined ? open.from : readInstant(during.from),
    to: during.to === undefined ? open.to : readInstant(during.to),
  };
}
