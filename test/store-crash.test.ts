import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../packages/server/src/core/clock.ts';
import type { DeliveryState } from '../packages/server/src/core/delivery.ts';
import { take } from '../packages/server/src/log/conformance.ts';
import { listAll } from '../packages/server/src/record/conformance.ts';
import { openSqliteStore, type SqliteStore } from '../packages/server/src/stores/sqlite/store.ts';

/** `npm run crash` asks for more. */
const KILLS = Number(process.env['KILLS'] ?? 8);
const LANES = ['d0', 'd1'];
/** Partitions change and runs are sealed many times in each run. */
const OPTIONS = { partitionLength: 60, runSize: 500, tailBytes: 50_000 };
const LOAD = fileURLToPath(new URL('./store-crash-load.ts', import.meta.url));

/** What the processes that were killed had been told is durable. */
const accepted = new Set<string>();
const settled = new Map<string, DeliveryState>();

let dataDir: string;
let load: ChildProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
});
afterEach(() => {
  load?.kill('SIGKILL');
  rmSync(dataDir, { recursive: true });
});

test(
  'a store that is killed again and again has everything it acknowledged, and its counts add up',
  async () => {
    for (let run = 0; run < KILLS; run++) {
      await loadAndKill(run);
      const store = await openSqliteStore({ dataDir, clock: systemClock, ...OPTIONS });
      try {
        await check(store);
      } finally {
        await store.close();
      }
    }
    expect(accepted.size).toBeGreaterThan(KILLS * 10);
    expect(settled.size).toBeGreaterThan(KILLS * 10);
  },
  60_000 + KILLS * 8_000,
);

/** Kills it in the middle of whatever it does, after a number of lines that differs from run to run. */
async function loadAndKill(run: number): Promise<void> {
  const child = spawn(process.execPath, [LOAD, dataDir, String(run), JSON.stringify(OPTIONS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  load = child;
  const closed = once(child, 'close');
  let text = '';
  let lines = 200 + ((run * 977) % 1500);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    lines -= chunk.split('\n').length - 1;
    if (lines <= 0) child.kill('SIGKILL');
  });
  const [, signal] = await closed;
  expect(signal).toBe('SIGKILL');
  // A line that the kill cut short was acknowledged all the same, but what it says is not known.
  for (const line of text.slice(0, text.lastIndexOf('\n')).split('\n')) {
    const [what, ...words] = line.split(' ');
    if (what === '+') for (const id of words) accepted.add(id);
    const [lane, id, state] = words;
    if (what === '=') settled.set(`${lane} ${id}`, state as DeliveryState);
  }
}

async function check({ log, deliveries }: SqliteStore): Promise<void> {
  const lanes = await log.lanes();
  const total = (await log.totals()).get('s')?.accepted ?? 0;
  const audit = lanes.find(({ destinationId }) => destinationId === 'audit');
  const all = await take(log.read(audit?.id ?? 0), total);
  const ids = new Set(all.map(({ messageId }) => messageId));
  expect(ids.size).toBe(all.length);
  expect([...accepted].filter((id) => !ids.has(id))).toEqual([]);

  for (const destinationId of LANES) {
    const lane = lanes.find((each) => each.destinationId === destinationId);
    const [counted] = await deliveries.counts([destinationId]);
    const sum = { accepted: total, processed: 0, failed: 0, filtered: 0, retrying: 0, waiting: 0 };
    const known = await listAll(deliveries, { destinationId });
    for (const { state } of known) sum[state]++;
    sum.waiting = total - sum.processed - sum.failed - sum.filtered;
    expect(counted?.counts).toEqual(sum);

    const states = new Map(known.map(({ messageId, state }) => [messageId, state]));
    for (const [key, state] of settled) {
      const [of, id = ''] = key.split(' ');
      if (of !== destinationId) continue;
      // A round that was not acknowledged may have followed a retry that was.
      if (state === 'retrying') expect(states.has(id)).toBe(true);
      else expect(states.get(id)).toBe(state);
    }
    const left = await take(log.read(lane?.id ?? 0), total - known.length);
    expect(left.filter(({ messageId }) => states.has(messageId))).toEqual([]);
    expect((await deliveries.claimDue(destinationId, Date.now() + 1000, total)).items).toHaveLength(sum.retrying);
  }

  const again = await log.append(all.map(({ position: _, ...event }) => event));
  expect(again.duplicates).toHaveLength(all.length);
}
