import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../packages/server/src/core/clock.ts';
import type { DeliveryState } from '../packages/server/src/core/delivery.ts';
import { take } from '../packages/server/src/log/conformance.ts';
import { listAll } from '../packages/server/src/record/conformance.ts';
import { openSqliteStore, type SqliteStore } from '../packages/server/src/stores/sqlite/store.ts';
import { canWatch, Disk, damages } from './power-loss/disk.ts';
import { newSeed, random } from './system/kit/random.ts';

/** `npm run crash` asks for more. */
const KILLS = Number(process.env['KILLS'] ?? 8);
const POWER_LOSSES = Number(process.env['POWER_LOSSES'] ?? 1);
const LANES = ['d0', 'd1'];
/** Partitions change and runs are sealed many times in each run. */
const OPTIONS = { partitionLength: 60, runSize: 500, tailBytes: 50_000 };
const LOAD = fileURLToPath(new URL('./store-crash-load.ts', import.meta.url));

/** What the processes that were killed had been told is durable. */
let accepted: Set<string>;
let settled: Map<string, DeliveryState>;

let dataDir: string;
let load: ChildProcess | undefined;
beforeEach(() => {
  accepted = new Set();
  settled = new Map();
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
});
afterEach(() => {
  load?.kill('SIGKILL');
  rmSync(dataDir, { recursive: true });
});

test(
  'a store that is killed again and again has everything it acknowledged, and its counts add up',
  () => endAgainAndAgain(KILLS, (run) => loadAndKill(run)),
  60_000 + KILLS * 8_000,
);

test.skipIf(!(await canWatch()))(
  'a store whose machine loses its power again and again has everything it acknowledged, and its files are whole',
  async () => {
    const disk = await Disk.of(dataDir);
    onTestFinished(() => disk.remove());
    const seed = newSeed();
    const next = random(seed);
    const loadAndLosePower = async (run: number): Promise<void> => {
      disk.syncAll();
      await loadAndKill(run, disk.env);
      disk.losePower(next);
    };
    await endAgainAndAgain(POWER_LOSSES, loadAndLosePower).catch((error: unknown) => {
      throw new Error(`with SEED=${seed}: ${error}`, { cause: error });
    });
  },
  60_000 + POWER_LOSSES * 8_000,
);

async function endAgainAndAgain(times: number, loadAndEnd: (run: number) => Promise<void>): Promise<void> {
  for (let run = 0; run < times; run++) {
    await loadAndEnd(run);
    const store = await openSqliteStore({ dataDir, clock: systemClock, ...OPTIONS });
    try {
      expect(damages(dataDir)).toEqual([]);
      await check(store);
    } finally {
      await store.close();
    }
  }
  expect(accepted.size).toBeGreaterThan(times * 10);
  expect(settled.size).toBeGreaterThan(times * 10);
}

/** Kills it in the middle of its work, after a number of lines that differs from run to run. */
async function loadAndKill(run: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = spawn(process.execPath, [LOAD, dataDir, String(run), JSON.stringify(OPTIONS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
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

async function check({ log, deliveries, losses }: SqliteStore): Promise<void> {
  expect(await losses.list()).toEqual([]);
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
