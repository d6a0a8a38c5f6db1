import type { Outcome } from '../../packages/server/src/core/delivery.ts';
import { classifyStatus } from '../../packages/server/src/core/send-error.ts';
import type { Random } from '../simulation/random.ts';

/** How an endpoint answered one request. */
export interface Answer {
  readonly outcome: Outcome;
  /** How long it took, milliseconds. */
  readonly ms: number;
}

/** How an endpoint answers, so many hours before the end of the history. */
type Mood = (hoursAgo: number, random: Random) => Answer;

/** By the path of the URL. What is not here takes everything. */
const MOODS: Readonly<Record<string, Mood>> = {
  '/warehouse/eu': (_, random) => answered(200, around(38, random), 'ok'),
  '/warehouse/us': (_, random) => answered(200, around(118, random), 'ok'),
  '/warehouse/archive': (_, random) => (random.chance(0.004) ? timeout() : answered(202, around(64, random), 'queued')),
  '/crm': (hoursAgo, random) => {
    if (hoursAgo > 3 && hoursAgo < 3.6 && random.chance(0.3)) return tooMany(random);
    if (random.chance(0.0015)) return answered(422, around(90, random), '{"error":"the contact has no email"}');
    return random.chance(0.016) ? busy(random) : answered(200, around(190, random), '{"status":"synced"}');
  },
  '/email': (_, random) =>
    random.chance(0.0008) ? busy(random) : answered(202, around(85, random), '{"queued":true}'),
  '/fraud': (hoursAgo, random) => {
    if (hoursAgo < 0.2) return answered(500, around(900, random), FRAUD_DOWN);
    // A bad afternoon: first it is overloaded, then a new version of it refuses what it should take.
    if (hoursAgo > 8.4 && hoursAgo < 9.8 && random.chance(0.55)) return busy(random);
    if (hoursAgo > 7.9 && hoursAgo < 8.7 && random.chance(0.3)) {
      return answered(422, around(60, random), '{"error":"unknown field: context.library"}');
    }
    // It began with some that it could not score.
    if (hoursAgo < 1 && random.chance(0.04)) return answered(422, around(60, random), '{"error":"no score"}');
    return answered(200, around(240, random), '{"score":0.02}');
  },
};

/** What the endpoint that scores answers while it is down, then and now. */
export const FRAUD_DOWN = '{"error":"model not loaded"}';

export function answerOf(url: string, hoursAgo: number, random: Random): Answer {
  const mood = MOODS[new URL(url).pathname];
  return mood ? mood(hoursAgo, random) : answered(200, around(50, random), 'ok');
}

function answered(status: number, ms: number, answer: string, retryAfter: number | null = null): Answer {
  return { ms, outcome: { class: classifyStatus(status), status, error: null, detail: null, retryAfter, answer } };
}

function busy(random: Random): Answer {
  return answered(503, around(700, random), 'upstream connect error or disconnect before headers');
}

function tooMany(random: Random): Answer {
  return answered(429, around(30, random), '{"error":"rate limit"}', 20_000);
}

const TIMEOUT_MS = 5_000;

function timeout(): Answer {
  const detail = `No response headers within ${TIMEOUT_MS / 1_000} s.`;
  return {
    ms: TIMEOUT_MS,
    outcome: { class: 'temporary', status: null, error: 'timeout', detail, retryAfter: null, answer: null },
  };
}

/** Mostly near `typical`, sometimes several times as long, as latencies are. */
function around(typical: number, random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.max(1, Math.round(typical * Math.exp(0.4 * normal)));
}
