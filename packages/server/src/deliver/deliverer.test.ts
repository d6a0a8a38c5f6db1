import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Destination } from '../core/destination.ts';
import type { Lane } from '../core/lane.ts';
import { Deliverer, type DeliveryLog, type DeliverySettings } from './deliverer.ts';
import { ALONE } from './peers.ts';
import { destinationOf, entryOf, laneOf, success, TestLane, TestWorld } from './test-world.ts';

const DRAIN = 10_000;

/** A log that notes what it is asked to do, and settings that are what the test sets. */
class Surroundings implements DeliveryLog, DeliverySettings {
  readonly calls: string[] = [];
  readonly readers: Map<number, TestLane> = new Map();
  open: Lane[] = [];
  broken = false;
  readonly #destinations = new Map<string, Destination>();
  #listener: () => void = () => undefined;

  async lanes(): Promise<readonly Lane[]> {
    const { open } = this;
    await setImmediate();
    if (this.broken) throw new Error('The log is not well.');
    return open;
  }

  read(id: number): TestLane {
    const reader = new TestLane();
    this.readers.set(id, reader);
    return reader;
  }

  async endLane(id: number): Promise<void> {
    if (this.broken) throw new Error('The log is not well.');
    this.calls.push(`end ${id}`);
  }

  async removeLane(id: number): Promise<void> {
    if (this.broken) throw new Error('The log is not well.');
    this.calls.push(`remove ${id}`);
    this.open = this.open.filter((lane) => lane.id !== id);
  }

  destination(id: string): Destination | undefined {
    return this.#destinations.get(id);
  }

  onChange(listener: () => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = () => undefined;
    };
  }

  set(destination: Destination): void {
    this.#destinations.set(destination.id, destination);
    this.#listener();
  }

  delete(id: string): void {
    this.#destinations.delete(id);
    this.#listener();
  }
}

let world: TestWorld;
let around: Surroundings;
let deliverer: Deliverer;
/** Resolves when the recorder has written everything. */
let flushed: Promise<void>;
beforeEach(() => {
  flushed = Promise.resolve();
  world = new TestWorld();
  around = new Surroundings();
  around.open = [laneOf(1)];
  around.set(destinationOf(['a']));
  deliverer = new Deliverer(options());
});

function options(): ConstructorParameters<typeof Deliverer>[0] {
  return {
    clock: world.clock,
    openSender: world.openSender,
    claims: world,
    hasten: world.hasten,
    policy: world.policy,
    maxConcurrency: 8,
    retention: world.retention,
    peers: ALONE,
    gracePeriod: 0,
    leadAfter: 0,
    meter: world.meter,
    random: () => 0,
    record: (result, recorded) => world.record(result, recorded),
    report: (error) => world.report(error),
    log: around,
    settings: around,
    flush: () => flushed,
    stopTime: DRAIN,
    drainTime: DRAIN,
  };
}

/** The lane that the deliverer reads. */
function lane(id: number): TestLane {
  const reader = around.readers.get(id);
  if (!reader) throw new Error(`Lane ${id} is not read.`);
  return reader;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await setImmediate();
}

describe('a change of the settings', () => {
  test('holds for the very next message, however long the log takes', async () => {
    await deliverer.start();
    around.set(destinationOf(['a'], { enabled: false }));
    await lane(1).give(entryOf('m1'));
    expect(world.endsOf('m1')).toMatchObject([{ state: 'filtered', reason: 'destination_disabled' }]);
  });

  test('ends the lane of a pair that is cut, before the pair can be connected again', async () => {
    await deliverer.start();
    around.set(destinationOf(['a'], { sourceIds: ['src_2'] }));
    expect(around.calls).toEqual(['end 1']);
    around.open = [laneOf(1), laneOf(2)];
    around.set(destinationOf(['a']));
    await settle();
    expect(around.calls).toEqual(['end 1']);
    await lane(2).give(entryOf('m1'));
    expect(world.underWay).toEqual(['a m1']);
  });

  test.each<[string, Lane, Destination]>([
    ['a new destination', laneOf(2, 'src_1', 'dst_2'), destinationOf(['b'], { id: 'dst_2' })],
    ['a source', laneOf(2, 'src_3'), destinationOf(['b'], { sourceIds: ['src_1', 'src_3'] })],
  ])('that is under way keeps the lane it has opened for %s', async (_, opened, destination) => {
    await deliverer.start();
    // The log lists the lane, the settings do not know the pair yet.
    around.open = [laneOf(1), opened];
    around.set(destinationOf(['a']));
    await settle();
    around.set(destination);
    await settle();
    expect(around.calls).toEqual([]);
    await lane(2).give(entryOf('m2', { sourceId: opened.sourceId }));
    expect(world.underWay).toEqual(['b m2']);
  });

  test('that deletes a destination stops it, and then forgets its lanes; no other destination waits', async () => {
    around.open = [laneOf(1), laneOf(2, 'src_2'), laneOf(3, 'src_1', 'dst_2')];
    around.set(destinationOf(['b'], { id: 'dst_2' }));
    await deliverer.start();
    await lane(1).give(entryOf('m1'));
    around.delete('dst_1');
    around.open = [...around.open, laneOf(4, 'src_2', 'dst_2')];
    around.set(destinationOf(['b'], { id: 'dst_2' }));
    await settle();
    await lane(4).give(entryOf('m4'));
    expect(world.underWay).toEqual(['a m1', 'b m4']);
    expect(around.calls).toEqual([]);
    await world.answer('a', success);
    await settle();
    expect(around.calls).toEqual(['remove 1', 'remove 2']);
    expect(deliverer.status('dst_1')).toBeUndefined();
  });

  test('that cuts a pair while the log is not well ends its lane when it is', async () => {
    await deliverer.start();
    around.broken = true;
    around.set(destinationOf(['a'], { sourceIds: ['src_2'] }));
    await settle();
    expect(around.calls).toEqual([]);
    around.broken = false;
    await world.pass(1_000);
    await settle();
    expect(around.calls).toEqual(['end 1']);
  });

  test('that deletes a destination while the log is not well forgets its lanes when it is', async () => {
    await deliverer.start();
    around.broken = true;
    around.delete('dst_1');
    await settle();
    expect(around.calls).toEqual([]);
    around.broken = false;
    await world.pass(1_000);
    await settle();
    expect(around.calls).toEqual(['remove 1']);
  });
});

describe('at start', () => {
  test('lanes that have no place in the settings are ended or forgotten', async () => {
    around.open = [laneOf(1), laneOf(2, 'src_9'), laneOf(3, 'src_1', 'dst_9')];
    await deliverer.start();
    expect(around.calls).toEqual(['end 2', 'remove 3']);
  });

  test('a log that can not list its lanes is asked again', async () => {
    around.broken = true;
    await deliverer.start();
    expect(world.errors).toHaveLength(1);
    around.broken = false;
    await world.pass(1_000);
    await settle();
    await lane(1).give(entryOf('m1'));
    expect(world.underWay).toEqual(['a m1']);
  });
});

describe('beside other nodes', () => {
  const GRACE_PERIOD = 60_000;
  beforeEach(() => {
    deliverer = new Deliverer({ ...options(), gracePeriod: GRACE_PERIOD });
  });

  test('a lane whose pair another node is about to save is neither ended nor read', async () => {
    around.open = [laneOf(1), laneOf(2, 'src_3'), laneOf(3, 'src_1', 'dst_2')];
    await deliverer.start();
    around.set(destinationOf(['a']));
    await world.pass(GRACE_PERIOD - 1);
    expect(around.calls).toEqual([]);
    expect([...around.readers.keys()]).toEqual([1]);
    around.set(destinationOf(['a'], { sourceIds: ['src_1', 'src_3'] }));
    around.set(destinationOf(['b'], { id: 'dst_2' }));
    await settle();
    await lane(2).give(entryOf('m2', { sourceId: 'src_3' }));
    await lane(3).give(entryOf('m3'));
    expect(world.underWay).toEqual(['a m2', 'b m3']);
  });

  test('a lane that no change gives a place is given up in the end', async () => {
    around.open = [laneOf(1), laneOf(2, 'src_9'), laneOf(3, 'src_1', 'dst_9')];
    await deliverer.start();
    await world.pass(GRACE_PERIOD);
    await settle();
    expect(around.calls).toEqual(['end 2', 'remove 3']);
  });

  test('a pair that is cut, and a destination that is deleted, are so at once', async () => {
    around.open = [laneOf(1), laneOf(2, 'src_1', 'dst_2')];
    around.set(destinationOf(['b'], { id: 'dst_2' }));
    await deliverer.start();
    around.set(destinationOf(['a'], { sourceIds: ['src_2'] }));
    around.delete('dst_2');
    around.set(destinationOf(['a'], { sourceIds: ['src_2'] }));
    await settle();
    expect(around.calls).toEqual(['end 1', 'remove 2']);
  });
});

describe('a stop', () => {
  test('waits for what is under way', async () => {
    await deliverer.start();
    await lane(1).give(entryOf('m1'));
    const stop = deliverer.stop();
    await settle();
    expect(world.results).toEqual([]);
    await world.answer('a', success);
    await stop;
    expect(world.results).toMatchObject([{ state: 'processed' }]);
    expect(world.clock.pending).toBe(0);
  });

  test.each([
    ['an endpoint that does not answer', false],
    ['a store that stands still', true],
  ])('gives up %s when its time is over', async (_, storeStandsStill) => {
    world.storeStandsStill = storeStandsStill;
    if (storeStandsStill) world.answers.set('a', success);
    await deliverer.start();
    await lane(1).give(entryOf('m1'));
    let stopped = false;
    const stop = deliverer.stop().then(() => {
      stopped = true;
    });
    await world.pass(DRAIN - 1);
    expect(stopped).toBe(false);
    await world.pass(1);
    await stop;
    expect(lane(1).acked).toEqual([]);
    expect(world.underWay).toEqual([]);
  });

  test('waits for what the recorder has to write, for no longer than its time', async () => {
    flushed = new Promise(() => undefined);
    await deliverer.start();
    let stopped = false;
    const stop = deliverer.stop().then(() => {
      stopped = true;
    });
    await world.pass(DRAIN - 1);
    expect(stopped).toBe(false);
    await world.pass(1);
    await stop;
  });

  test('before start is over at once', async () => {
    await deliverer.stop();
    expect(world.clock.pending).toBe(0);
  });

  test('asked for twice, the second waits for the first', async () => {
    await deliverer.start();
    await lane(1).give(entryOf('m1'));
    const over: string[] = [];
    const first = deliverer.stop().then(() => over.push('first'));
    const second = deliverer.stop().then(() => over.push('second'));
    await settle();
    expect(over).toEqual([]);
    await world.answer('a', success);
    await Promise.all([first, second]);
    expect(over).toEqual(['first', 'second']);
    expect(world.results).toMatchObject([{ state: 'processed' }]);
  });
});

test('an order of users that is asked for begins when what was under way has ended, and its lane is read once at a time', async () => {
  await deliverer.start();
  await deliverer.lead.start();
  const before = lane(1);
  await before.give(entryOf('under way'));
  expect(world.underWay).toEqual(['a under way']);
  around.set({ ...destinationOf(['a']), order: 'user' });
  await settle();
  expect(lane(1)).toBe(before);
  await world.answer('a', success);
  await settle();
  expect(lane(1)).not.toBe(before);
  expect(before.acked).toHaveLength(1);
  await lane(1).give(entryOf('next'));
  expect(world.underWay).toEqual(['a next']);
});

test('a process that no longer leads gives up what is under way in half the time that the next one waits', async () => {
  const leadAfter = DRAIN / 2;
  deliverer = new Deliverer({ ...options(), leadAfter });
  around.set({ ...destinationOf(['a']), order: 'user' });
  await deliverer.start();
  await deliverer.lead.start();
  await world.pass(leadAfter);
  const before = lane(1);
  await before.give(entryOf('under way'));
  expect(world.underWay).toEqual(['a under way']);
  await deliverer.lead.stop();
  await settle();
  expect(lane(1)).toBe(before);
  await world.pass(leadAfter / 2);
  await settle();
  expect(lane(1)).not.toBe(before);
});

test.each(['resumed', 'switched off'])(
  'what waits is made due where the destination is %s as its order begins',
  async (change) => {
    const hastened: string[] = [];
    deliverer = new Deliverer({
      ...options(),
      hasten: async (id) => {
        hastened.push(id);
        return 0;
      },
    });
    const destination = {
      ...destinationOf(['a']),
      hold: { since: new Date(world.clock.now()).toISOString(), past: [] },
    };
    around.set(destination);
    await deliverer.start();
    await deliverer.lead.start();
    const hold = { since: null, past: [] };
    around.set({ ...destination, order: 'user', ...(change === 'resumed' ? { hold } : { enabled: false }) });
    await settle();
    expect(hastened).toEqual([destination.id]);
  },
);
