import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { LaneReader } from '../../log/contract.ts';
import { EVERYTHING, listAll } from '../../record/conformance.ts';
import type { CandidatePage, EventPage } from '../../record/contract.ts';
import { ANY_EVENT } from '../../record/search-conformance.ts';
import { openWorld } from './test-world.ts';

test('a rare match is found, page after page, though no page looks at everything', async () => {
  const world = await openWorld({ partitionLength: 60_000 });
  const lanes = await Promise.all(['d', 'e'].map((destinationId) => world.log.openLane('s', destinationId)));
  const readers = lanes.map(({ id }) => world.log.read(id));
  const COUNT = 24_000;
  const BATCH = 6_000;
  for (let i = 0; i < COUNT; i += BATCH) {
    const events = Array.from({ length: BATCH }, (_, j) => {
      const n = i + j;
      const name = n % 11_000 === 5 ? 'Rare' : 'Common';
      return sampleEvent('s', `m${n}`, { name, receivedAt: world.now() + j });
    });
    await world.log.append(events);
    for (const [l, lane] of lanes.entries()) {
      const entries = await take(readers[l] as LaneReader, BATCH);
      // So the two destinations get through different numbers of rows on the way to the same event.
      await world.settle(
        lane,
        entries.filter(({ name, position }) => l === 0 || name === 'Rare' || position % 3 > 0),
      );
    }
    world.advance(60_000);
  }
  const first = await world.deliveries.list({ ...EVERYTHING, event: 'Rare', limit: 10 });
  expect(first.next).not.toBeNull();
  const rare = await listAll(world.deliveries, { event: 'Rare', limit: 10 });
  const found = rare.map(({ messageId, destinationId }) => `${messageId} ${destinationId}`);
  expect(found.toSorted()).toEqual(['m11005 d', 'm11005 e', 'm22005 d', 'm22005 e', 'm5 d', 'm5 e']);
  expect(rare.map(({ position }) => position)).toEqual(rare.map(({ position }) => position).toSorted((a, b) => b - a));

  const query = { ...ANY_EVENT, event: 'Rare' };
  const pages: EventPage[] = [];
  do pages.push(await world.deliveries.events({ ...query, cursor: pages.at(-1)?.next ?? null }));
  while (pages.at(-1)?.next !== null);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(({ items }) => items.map(({ messageId }) => messageId))).toEqual(['m22005', 'm11005', 'm5']);

  const taken: CandidatePage[] = [];
  const replayed = {
    ...EVERYTHING,
    destinationId: 'd',
    state: 'all',
    sourceIds: ['s'],
    event: 'Rare',
    error: null,
  } as const;
  do taken.push(await world.deliveries.candidates({ ...replayed, after: taken.at(-1)?.next ?? -1 }));
  while (taken.at(-1)?.next !== null);
  expect(taken.length).toBeGreaterThan(1);
  expect(taken.flatMap(({ items }) => items.map(({ messageId }) => messageId))).toEqual(['m5', 'm11005', 'm22005']);
  await world.close();
});

test('an error of a file that is damaged names the file', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const lane = await world.log.openLane('s', 'd');
  const ids = Array.from({ length: 500 }, (_, n) => (n === 250 ? 'in the damaged page' : `m${n}`));
  await world.log.append(ids.map((id) => sampleEvent('s', id, { receivedAt: world.now() })));
  await world.stop();
  const file = readdirSync(world.dataDir).find((name) => name.startsWith('events-')) ?? '';
  const path = join(world.dataDir, file);
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf('in the damaged page') / PAGE_BYTES);
  writeFileSync(path, bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
  await world.start();
  const reading = take(world.log.read(lane.id), 500);
  await expect(reading).rejects.toThrow(`${file}: database disk image is malformed`);
});

const PAGE_BYTES = 8_192;
