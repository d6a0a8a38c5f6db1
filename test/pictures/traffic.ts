import { collect } from '../../packages/server/src/cli/client.ts';
import { type Call, shopCalls } from '../../packages/server/src/cli/shop.ts';
import type { SourceType } from '../../packages/server/src/core/source.ts';
import { refusalText } from '../../packages/server/src/import/answer.ts';
import type { Random } from '../simulation/random.ts';
import type { CastSource } from './cast.ts';

const HOUR = 3_600_000;

/** How many events come in the minute that begins at `at`: more by day than by night, in waves of two hours. */
export function eventsIn(at: number, { perMinute }: CastSource, random: Random): number {
  const wave = (hours: number, shift: number): number => Math.sin((2 * Math.PI * (at - shift * HOUR)) / (hours * HOUR));
  const level = 1 + 0.3 * wave(24, 9) + 0.1 * wave(2, 0) + 0.06 * wave(5, 1);
  return Math.round(perMinute * level * (0.85 + 0.3 * random.next()));
}

/** What a source of this type sends, without end: an app shows screens, and a backend knows only who has signed in. */
export function* callsOf(type: SourceType, random: Random): Generator<Call, never> {
  const story = shopCalls(() => random.next());
  for (;;) {
    const call = story.next().value;
    if (type === 'web') yield call;
    else if (type === 'mobile') yield asInApp(call);
    else if (call.type !== 'page' && call['userId'] !== undefined) yield call;
  }
}

function asInApp(call: Call): Call {
  const { context: _, properties, ...rest } = call;
  const app = { app: { name: 'Mill shop', version: '4.2.0' }, device: { type: 'android', model: 'Pixel 9' } };
  if (call.type !== 'page') return { ...call, context: app };
  return { ...rest, type: 'screen', properties: { title: call['name'] }, context: app };
}

export interface Traffic {
  /** Resolves when nothing is under way; rejects when a call was refused. */
  stop(): Promise<void>;
}

const BEAT_MS = 400;

/** A busy moment: so many times what the mean of the day is. */
const BUSY = 3;

/** Sends calls of all sources to the service at `url` until it is stopped. */
export function startTraffic(url: string, sources: readonly CastSource[], random: Random): Traffic {
  const stories = sources.map((source) => ({
    source,
    calls: callsOf(source.type, random.fork(`live ${source.name}`)),
    owed: 0,
  }));
  const ending = new AbortController();
  const running = (async () => {
    while (!ending.signal.aborted) {
      for (const story of stories) {
        story.owed += story.source.perMinute * (BEAT_MS / 60_000) * BUSY * 2 * random.next();
        const batch = Array.from({ length: Math.floor(story.owed) }, () => story.calls.next().value);
        story.owed -= batch.length;
        if (batch.length === 0) continue;
        const answer = await collect(url, '/v1/batch', story.source.writeKey, JSON.stringify({ batch }));
        if (!answer.ok) throw new Error(`the service refused calls: ${refusalText(answer)}`);
      }
      await pause(BEAT_MS, ending.signal);
    }
  })();
  // `stop` rejects with its error.
  running.catch(() => {});
  return {
    stop() {
      ending.abort();
      return running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
