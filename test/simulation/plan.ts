import type { Destination, Hold, TrackFilter, Webhook } from '../../packages/server/src/core/destination.ts';
import type { Event, Position } from '../../packages/server/src/core/event.ts';
import type { Offsets } from '../../packages/server/src/core/position.ts';
import type { RetryPolicy } from '../../packages/server/src/deliver/schedule.ts';
import type { Behaviour, EndpointPlan, Outage } from './endpoints.ts';
import { Random } from './random.ts';
import type { Trouble, WorldPlan } from './world.ts';

/** Everything that will happen in a run, but for what the product makes of it. Times are milliseconds since the epoch. */
export interface Plan {
  readonly seed: number;
  readonly policy: RetryPolicy;
  readonly maxConcurrency: number;
  readonly drainTime: number;
  readonly destinations: readonly Destination[];
  /** Those of them that are not there from the start. */
  readonly later: ReadonlySet<string>;
  readonly endpoints: readonly EndpointPlan[];
  /** In the order of time. */
  readonly events: readonly Event[];
  readonly changes: readonly Change[];
  readonly ends: readonly End[];
  readonly deletions: readonly Deletion[];
  readonly world: WorldPlan;
}

/** Some of the events that were accepted until then are removed. */
export interface Deletion {
  readonly at: number;
  /** Of the events accepted before, how many. */
  readonly share: number;
}

/** A destination is created, changed or deleted. */
export interface Change {
  readonly at: number;
  readonly destinationId: string;
  readonly what: string;
  /** From the destination as it is, and the position of the newest event, to what it shall be; null where there is none. */
  readonly apply: (destination: Destination | null, last: Position) => Destination | null;
}

/** The process ends, and starts again after `downFor` milliseconds. */
export interface End {
  readonly at: number;
  readonly how: 'crash' | 'stop';
  readonly downFor: number;
}

export const START = 1_800_000_000_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NAMES = ['Signed Up', 'Order Completed', 'Page Scrolled', 'Logged Out'] as const;

/** The plan of a seed: every fault there is, alone and together. */
export function planOf(seed: number): Plan {
  const random = new Random(seed);
  const length = random.int(1, 4) * HOUR;
  const sources = Array.from({ length: random.int(1, 4) }, (_, i) => `src_${i + 1}`);
  const policies = [
    { base: SECOND, cap: MINUTE, window: 2 * MINUTE },
    { base: 5 * SECOND, cap: 2 * MINUTE, window: 10 * MINUTE },
    { base: 5 * SECOND, cap: 10 * MINUTE, window: 30 * MINUTE },
    { base: 5 * SECOND, cap: 10 * MINUTE, window: 4 * HOUR },
  ];
  const endpoints: EndpointPlan[] = [];
  const destinations = Array.from({ length: random.int(1, 5) }, (_, i): Destination => {
    const id = `dst_${i + 1}`;
    const draw = random.fork(id);
    const count = draw.pick([1, 1, 1, 2, 2, 3, 5]);
    const urls = Array.from({ length: count }, (_, n) => endpointOf(`https://${id}.test/${n + 1}`, draw, length));
    endpoints.push(...urls);
    const destination = destinationOf(id, draw.some(sources, 1), urls, draw.chance(0.2) ? filterOf(draw) : null);
    const isOrdered = draw.chance(0.3);
    return {
      ...destination,
      ...(draw.chance(0.25) && { success: 'all' as const }),
      ...(isOrdered && { order: 'user' as const, orderHold: draw.pick(['10s', '5m', '1h']) }),
    };
  });
  const bursts = Array.from({ length: random.int(0, 4) }, () => START + random.int(0, length));
  const draw = random.fork('changes');
  const changes = destinations.flatMap((destination) => changesOf(destination, sources, endpoints, draw, length));
  // Often several at once, as a script does it.
  const createdAt = START + draw.int(0, length / 2);
  const created = destinations.filter(() => draw.chance(0.15));
  for (const destination of created) {
    const at = createdAt + draw.pick([0, 0, 1, 2, MINUTE]);
    changes.push({ at, destinationId: destination.id, what: 'created', apply: (known) => known ?? destination });
  }
  const drawEnds = random.fork('ends');
  return {
    seed,
    policy: random.pick(policies),
    maxConcurrency: random.pick([1, 2, 8, 64]),
    drainTime: random.pick([2 * SECOND, 10 * SECOND, 10 * SECOND]),
    destinations,
    later: new Set(created.map(({ id }) => id)),
    endpoints,
    events: eventsOf(sources, bursts, random.fork('events'), length),
    changes: changes.sort((a, b) => a.at - b.at),
    ends: drawEnds.chance(0.5) ? endsOf(bursts, drawEnds, length) : [],
    deletions: deletionsOf(bursts, random.fork('deletions'), length),
    world: { troubles: troublesOf(bursts, random.fork('store'), length), handsOutAgain: random.chance(0.3) },
  };
}

/**
 * A plan in which nothing is wrong with the process, the store and all destinations but the first: so the others must do
 * as if the first were not there.
 */
export function planOfNeighbours(seed: number): Plan {
  const random = new Random(seed);
  const length = 20 * MINUTE;
  const sick: Behaviour = random.pick<Behaviour>([
    { kind: 'hanging' },
    { kind: 'failing', status: 500 },
    { kind: 'broken', chance: 0.9 },
    { kind: 'limiting', perSecond: 1, status: 429, retryAfter: 2 * SECOND },
  ]);
  const endpoints: EndpointPlan[] = [{ url: 'https://dst_1.test/1', behaviour: sick, outages: [] }];
  for (let i = 2; i <= 5; i++) {
    const from = random.int(1, 100);
    const behaviour: Behaviour = { kind: 'healthy', ms: [from, from + random.int(0, 50)] };
    endpoints.push({ url: `https://dst_${i}.test/1`, behaviour, outages: [] });
  }
  const destinations = endpoints.map((endpoint, i) => destinationOf(`dst_${i + 1}`, ['src_1'], [endpoint], null));
  const bursts = [START + random.int(0, length), START + random.int(0, length)];
  return {
    seed,
    policy: { base: SECOND, cap: MINUTE, window: 5 * MINUTE },
    maxConcurrency: 16,
    drainTime: 10 * SECOND,
    destinations,
    later: new Set(),
    endpoints,
    events: eventsOf(['src_1'], bursts, random.fork('events'), length),
    changes: [],
    ends: [],
    deletions: [],
    world: { troubles: [], handsOutAgain: false },
  };
}

function idOf(url: string): string {
  return `url_${new URL(url).pathname}`;
}

function destinationOf(
  id: string,
  sourceIds: readonly string[],
  endpoints: readonly EndpointPlan[],
  trackFilter: TrackFilter | null,
): Destination {
  const webhooks = endpoints.map(({ url }) => ({ id: idOf(url), url, headers: {} }));
  const createdAt = new Date(START).toISOString();
  return {
    id,
    name: id,
    type: 'Webhooks',
    sourceIds,
    enabled: true,
    webhooks,
    sharedSecret: null,
    trackFilter,
    maxEventAgeHours: null,
    createdAt,
    updatedAt: null,
  };
}

function endpointOf(url: string, random: Random, length: number): EndpointPlan {
  const outages: Outage[] = [];
  const as = random.pick(['hanging', 'refused', 'unavailable'] as const);
  const kind = random.int(1, 10);
  if (kind <= 2) {
    // Flapping: up and down all the time.
    const period = random.int(10 * SECOND, 20 * MINUTE);
    for (let from = random.int(0, period); from < length; from += period + random.int(0, period)) {
      outages.push({ from: START + from, to: START + from + random.int(SECOND, period), as });
    }
  } else if (kind <= 4) {
    // Dead for long, then back.
    const from = START + random.int(0, length / 2);
    outages.push({ from, to: from + random.int(10 * MINUTE, 5 * HOUR), as });
  }
  return { url, behaviour: behaviourOf(random), outages };
}

function behaviourOf(random: Random): Behaviour {
  const from = random.pick([1, 5, 50, 400, 1500]);
  const healthy: Behaviour = { kind: 'healthy', ms: [from, from * random.int(1, 3)] };
  return random.pick<Behaviour>([
    healthy,
    healthy,
    healthy,
    healthy,
    { kind: 'hanging' },
    { kind: 'failing', status: random.pick([500, 502, 503, 408]) },
    { kind: 'poisoned', every: random.int(2, 30) },
    { kind: 'refusing', every: random.pick([1, 3, 10]) },
    {
      kind: 'limiting',
      perSecond: random.int(1, 5),
      status: random.pick([429, 503] as const),
      retryAfter: random.pick([SECOND, 10 * SECOND, 2 * MINUTE]),
    },
    { kind: 'broken', chance: random.pick([0.05, 0.5, 0.95]) },
    { kind: 'untrusted' },
  ]);
}

function filterOf(random: Random): TrackFilter {
  return { mode: random.pick(['allow', 'deny'] as const), events: random.some(NAMES, 1) };
}

/** A trickle, and now and then many at once; the number in a messageId tells poison from food. */
function eventsOf(sources: readonly string[], bursts: readonly number[], random: Random, length: number): Event[] {
  const times = Array.from({ length: random.int(20, 120) }, () => START + random.int(0, length));
  for (const burst of bursts) {
    const size = random.chance(0.04) ? random.int(1000, 3000) : random.int(20, 150);
    const spread = random.pick([0, 100, 2 * SECOND, 30 * SECOND]);
    for (let i = 0; i < size; i++) times.push(burst + random.int(0, spread));
  }
  times.sort((a, b) => a - b);
  const users = random.pick([3, 30, 3000]);
  return times.map((receivedAt, i): Event => {
    const messageId = `m${i + 1}`;
    const name = random.chance(0.7) ? random.pick(NAMES) : null;
    const type = name === null ? 'identify' : 'track';
    const integrations = random.chance(0.1)
      ? random.pick(['{"All":false}', '{"Webhooks":false}', '{"All":true}'])
      : null;
    const userId = `u${random.int(0, users)}`;
    const body = Buffer.from(
      `{"type":"${type}","userId":"${userId}","messageId":"${messageId}","n":${random.int(0, 1e9)}}`,
    );
    return {
      sourceId: random.pick(sources),
      messageId,
      type,
      name,
      userId,
      receivedAt,
      timestamp: receivedAt,
      integrations,
      unsent: null,
      body,
    };
  });
}

function changesOf(
  destination: Destination,
  sources: readonly string[],
  endpoints: EndpointPlan[],
  random: Random,
  length: number,
): Change[] {
  const changes: Change[] = [];
  const { id: destinationId } = destination;
  type Edit = (destination: Destination, last: Position) => Destination | null;
  const add = (at: number, what: string, edit: Edit): void => {
    changes.push({ at, destinationId, what, apply: (known, last) => known && edit(known, last) });
  };
  /** A change is lost while the process is down: a person tries again. */
  const resumeFrom = (
    from: number,
    edit: (destination: Destination, resume: (hold: Hold) => Hold) => Destination,
  ): void => {
    const discards = random.chance(0.3);
    for (const at of [from, ...Array.from({ length: 12 }, (_, i) => START + length + i * HOUR)]) {
      add(at, discards ? 'is resumed, and what it held discarded' : 'is resumed', (each, last) => {
        return edit(each, (hold) => resumedAt(hold, at, discards ? [last] : hold.discarded));
      });
    }
  };
  for (let count = random.chance(0.5) ? random.int(1, 4) : 0; count > 0; count--) {
    const at = START + random.int(0, length);
    // Often at once, so that one change meets the other under way.
    const back = at + random.pick([0, 1, 5, 100, 10 * MINUTE]);
    const sourceId = random.pick(sources);
    const without = (each: Destination): Destination => ({
      ...each,
      sourceIds: each.sourceIds.filter((id) => id !== sourceId),
    });
    const filter = filterOf(random);
    const url = `https://${destinationId}.test/new-${endpoints.length}`;
    const index = random.int(0, destination.webhooks.length - 1);
    const isEdit = random.chance(0.5);
    switch (random.int(1, 7)) {
      case 1:
        add(at, 'off', (each) => ({ ...each, enabled: false }));
        add(back, 'on', (each) => ({ ...each, enabled: true }));
        break;
      case 2:
        add(at, `cut from ${sourceId}`, without);
        add(back, `connected to ${sourceId}`, (each) => ({
          ...each,
          sourceIds: [...without(each).sourceIds, sourceId],
        }));
        break;
      case 3:
        endpoints.push(endpointOf(url, random, length));
        add(at, `sends to ${url}`, (each) => ({
          ...each,
          webhooks: each.webhooks.map((one, i) =>
            i === index ? { id: isEdit ? one.id : idOf(url), url, headers: {} } : one,
          ),
        }));
        break;
      case 4:
        add(at, 'has another secret', (each) => ({ ...each, sharedSecret: `secret ${at}` }));
        break;
      case 5:
        add(at, 'is paused', (each) => ({ ...each, hold: pausedAt(each.hold, at) }));
        resumeFrom(back, (each, resume) => (each.hold?.since ? { ...each, hold: resume(each.hold) } : each));
        break;
      case 6: {
        const change = (each: Destination, edit: (one: Webhook) => Webhook): Destination => {
          const one = each.webhooks[index];
          const edited = one && edit(one);
          return one === edited
            ? each
            : { ...each, webhooks: each.webhooks.map((other) => (other === one && edited ? edited : other)) };
        };
        add(at, 'has a URL that is paused', (each) =>
          change(each, (one) => ({ ...one, hold: pausedAt(one.hold, at) })),
        );
        resumeFrom(back, (each, resume) =>
          change(each, (one) => (one.hold?.since ? { ...one, hold: resume(one.hold) } : one)),
        );
        break;
      }
      default:
        add(at, 'has another filter', (each) => ({ ...each, trackFilter: filter }));
        add(back, 'has no filter', (each) => ({ ...each, trackFilter: null }));
    }
  }
  if (random.chance(0.05)) add(START + random.int(0, length), 'deleted', () => null);
  return changes;
}

function pausedAt(hold: Hold | undefined, at: number): Hold {
  return { past: [], ...hold, since: hold?.since ?? new Date(at).toISOString() };
}

function resumedAt({ since, past }: Hold, at: number, discarded: Offsets | undefined): Hold {
  const stretch = { since: since ?? '', until: new Date(at).toISOString() };
  return { since: null, past: [...past, stretch], ...(discarded && { discarded }) };
}

function endsOf(bursts: readonly number[], random: Random, length: number): End[] {
  const ends = Array.from({ length: random.int(1, 4) }, (): End => {
    const inBurst = bursts.length > 0 && random.chance(0.6);
    const at = inBurst
      ? random.pick(bursts) + random.int(0, random.pick([20, 500, 10 * SECOND]))
      : START + random.int(0, length);
    const downFor = random.pick([0, SECOND, MINUTE, HOUR, 5 * HOUR]);
    return { at, how: random.pick(['crash', 'crash', 'stop'] as const), downFor };
  });
  return ends.sort((a, b) => a.at - b.at);
}

function deletionsOf(bursts: readonly number[], random: Random, length: number): Deletion[] {
  if (random.chance(0.5)) return [];
  return Array.from({ length: random.int(1, 4) }, (): Deletion => {
    const inBurst = bursts.length > 0 && random.chance(0.6);
    const at = inBurst
      ? random.pick(bursts) + random.int(0, random.pick([20, 500, MINUTE]))
      : START + random.int(0, length);
    return { at, share: random.pick([0.02, 0.2, 1]) };
  });
}

function troublesOf(bursts: readonly number[], random: Random, length: number): Trouble[] {
  if (random.chance(0.6)) return [];
  return Array.from({ length: random.int(1, 3) }, (): Trouble => {
    const from = bursts.length > 0 && random.chance(0.5) ? random.pick(bursts) : START + random.int(0, length);
    const to = from + random.int(SECOND, 2 * MINUTE);
    return { from, to, failing: random.pick([0, 0.1, 0.5, 1]), ms: random.pick([4, 100, 3 * SECOND]) };
  });
}
