import { writeSync } from 'node:fs';
import { systemClock } from '../packages/server/src/core/clock.ts';
import type { DeliveryResult, DeliveryState } from '../packages/server/src/core/delivery.ts';
import type { LogEntry } from '../packages/server/src/core/event.ts';
import type { Lane } from '../packages/server/src/core/lane.ts';
import { openSqliteStore } from '../packages/server/src/stores/sqlite/store.ts';

/**
 * Appends, delivers and retries as fast as it can, until it is killed. What was acknowledged to it is written to stdout
 * before anything else happens: `+ ID…` for events, `= LANE ID STATE` for what became of one.
 */
const [dataDir = '', run = '', options = '{}'] = process.argv.slice(2);
const { log, deliveries } = await openSqliteStore({ dataDir, clock: systemClock, ...JSON.parse(options) });
for (const destinationId of ['audit', 'd0', 'd1']) await log.openLane('s', destinationId);

let state = Number(run) * 7919 + 1;
/** A small generator, so that a run can be made again. */
function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
}

const ENDS: readonly DeliveryState[] = ['processed', 'processed', 'failed', 'filtered', 'retrying', 'retrying'];

async function settle(lane: Lane, entries: readonly LogEntry[], rounds: readonly number[]): Promise<void> {
  const batch = entries.map((entry, i): DeliveryResult => {
    const end = ENDS[random(ENDS.length)] ?? 'processed';
    return {
      laneId: lane.id,
      destinationId: lane.destinationId,
      entry,
      state: end,
      reason: null,
      attempts: [],
      rounds: (rounds[i] ?? 0) + 1,
      firstAt: 1,
      dueAt: end === 'retrying' ? Date.now() : null,
      urlsLeft: end === 'retrying' ? [] : null,
      at: Date.now(),
    };
  });
  await deliveries.settle(batch);
  const said = batch.map(({ entry, state }) => `= ${lane.destinationId} ${entry.messageId} ${state}\n`);
  writeSync(1, said.join(''));
}

async function append(): Promise<never> {
  for (let n = 0; ; ) {
    const ids = Array.from({ length: 1 + random(30) }, () => `${run}-${n++}`);
    await log.append(
      ids.map((messageId) => ({
        sourceId: 's',
        messageId,
        type: 'track',
        name: null,
        userId: null,
        receivedAt: Date.now(),
        timestamp: Date.now(),
        integrations: null,
        unsent: null,
        body: Buffer.from(messageId),
      })),
    );
    writeSync(1, `+ ${ids.join(' ')}\n`);
  }
}

async function deliver(destinationId: string): Promise<never> {
  const lane = await log.openLane('s', destinationId);
  const reader = log.read(lane.id);
  const signal = new AbortController().signal;
  for (;;) {
    const entries = await reader.pull(1 + random(40), signal);
    await settle(lane, entries, []);
    reader.ack(entries.map(({ position }) => position));
    const { items } = await deliveries.claimDue(destinationId, Date.now(), 20);
    if (items.length === 0) continue;
    await settle(
      lane,
      items.map(({ entry }) => entry),
      items.map(({ rounds }) => rounds),
    );
  }
}

await Promise.all([append(), deliver('d0'), deliver('d1')]);
