import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DEFAULT_OPTIONS, optionsAfter } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import { reasonParts } from '../core/reason.ts';
import { callIn } from '../deliver/parsed-body.ts';
import { redacted } from '../deliver/redaction.ts';
import { verdict } from '../deliver/route.ts';
import type { DeliveryStore } from '../record/contract.ts';
import type { RoutingPreview, RoutingToPreview } from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { picked } from './views.ts';

const DAY = 86_400_000;
/** The preview ends after this many events, even before the day is complete. */
const MOST_EVENTS = 10_000;
const MOST_MS = 2_000;
const PAGE = 200;
const SAMPLES = 5;
/** Bytes of bodies that are checked before other work gets a turn: there may be many rules, and each reads the call. */
const PIECE = 32_768;
/** The most groups. Clauses are limited by the rules, but the names in their values are not: further ones are only counted. */
const MOST_GROUPS = 200;

type Deps = Pick<AdminDeps, 'clock' | 'log'> & { readonly deliveries: Pick<DeliveryStore, 'events'> };

/** What rules would have decided for the events of the last day, newest first for each source. Nothing is sent or stored. */
export async function previewRouting(
  asked: RoutingToPreview,
  { clock, log, deliveries }: Deps,
  signal: AbortSignal,
): Promise<RoutingPreview> {
  const begun = clock.now();
  const { sourceIds } = asked;
  const rules = { ...optionsAfter(DEFAULT_OPTIONS, asked), enabled: true, sourceIds };
  const redactKey = randomBytes(32).toString('base64url');
  const groups = new Map<string, RoutingPreview['filtered'][number]>();
  const samples: RoutingPreview['samples'][number][] = [];
  let [looked, passed] = [0, 0];

  const look = (entry: LogEntry): void => {
    looked += 1;
    const recorded = verdict(entry, rules);
    const sample = picked(entry, 'position', 'messageId', 'sourceId');
    if (recorded !== null) {
      const group = groups.get(recorded);
      if (group) group.count += 1;
      else if (groups.size < MOST_GROUPS) {
        const { reason, clause } = reasonParts(recorded);
        groups.set(recorded, { reason: String(reason), clause, count: 1, sample });
      }
      return;
    }
    passed += 1;
    if (samples.length === SAMPLES || entry.type === 'delete') return;
    const before = callIn(entry.body);
    const { call: after, changed } = redacted(before, { redact: rules.redact, redactKey });
    if (changed.length > 0 || rules.redact.length === 0) {
      samples.push({ ...sample, before, after, changed });
    }
  };

  const left = sourceIds.map((sourceId): { sourceId: string; cursor: string | null } => ({ sourceId, cursor: null }));
  while (!signal.aborted && looked < MOST_EVENTS && clock.now() - begun < MOST_MS) {
    const turn = left.shift();
    if (!turn) break;
    const limit = Math.min(PAGE, MOST_EVENTS - looked);
    const page = await deliveries.events({ ...ANY, ...turn, from: begun - DAY, limit });
    const entries = await log.fetch(page.items.map(({ position }) => position));
    let bytes = 0;
    for (const entry of entries) {
      if (!entry || entry.body.byteLength === 0) continue;
      look(entry);
      bytes += entry.body.byteLength;
      if (bytes < PIECE) continue;
      bytes = 0;
      await setImmediate();
    }
    if (page.next !== null) left.push({ sourceId: turn.sourceId, cursor: page.next });
  }
  const filtered = [...groups.values()].toSorted((one, other) => other.count - one.count);
  return { looked, all: left.length === 0, passed, filtered, samples };
}

const ANY = { messageId: null, type: null, event: null, userId: null, to: null };
