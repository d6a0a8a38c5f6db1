import { afterAll, expect, test } from 'vitest';
import { handOver } from '../core/handed-over.ts';
import { Thread } from './thread.ts';

/** Served on the thread. */
interface Nester {
  /** Arrays in arrays. */
  nested(levels: number): unknown;
  later(levels: number): Promise<unknown>;
  take(value: unknown): string;
  never(): Promise<void>;
  readonly field: { sizeOf(value: { readonly bytes: Uint8Array }): number };
}

const SERVE = new URL('./thread.ts', import.meta.url).href;
const CODE = `
  import { serve } from ${JSON.stringify(SERVE)};
  const nested = (levels) => { let value = 1; while (levels-- > 0) value = [value]; return value; };
  await serve(() => ({
    nested, later: async (levels) => nested(levels), take: () => 'taken', never: () => new Promise(() => {}), close() {},
    field: { sizeOf: ({ bytes }) => bytes.byteLength },
  }));
`;

const thread = new Thread<Nester>('test', () => null, new URL(`data:text/javascript,${encodeURIComponent(CODE)}`));
afterAll(() => thread.end());

const failureOf = (call: Promise<unknown>): Promise<string | null> => call.then(() => null, String);

/** Levels from those that both sides can handle to those that neither can: between them, one can write what none can read. */
const LEVELS = Array.from({ length: 60 }, (_, i) => Math.floor(1_000 * 1.1 ** i));

test.each(['nested', 'later'] as const)('an answer nested too deeply rejects what waits: %s', async (method) => {
  const seen = new Set<string | undefined>();
  for (const levels of LEVELS) {
    const waiting = failureOf(thread.remote.never());
    const failed = await failureOf(thread.remote[method](levels));
    seen.add(/unreadable|call stack/.exec(failed ?? 'answered')?.[0]);
    if (failed?.includes('unreadable')) expect(await waiting).toContain('unreadable');
  }
  // Each call was answered or refused.
  expect(seen).toEqual(new Set([undefined, 'unreadable', 'call stack']));
  expect(await thread.remote.take(1)).toBe('taken');
});

test('a field of the object is called as it is, and what is handed over is moved', async () => {
  const copied = { bytes: new Uint8Array(8) };
  expect(await thread.remote.field.sizeOf(copied)).toBe(8);
  expect(copied.bytes.byteLength).toBe(8);
  const moved = { bytes: new Uint8Array(8) };
  expect(await thread.remote.field.sizeOf(handOver(moved, [moved.bytes.buffer]))).toBe(8);
  expect(moved.bytes.byteLength).toBe(0);
});
