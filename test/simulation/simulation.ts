import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../packages/server/src/core/clock.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import { Deliverer } from '../../packages/server/src/deliver/deliverer.ts';
import { ALONE } from '../../packages/server/src/deliver/peers.ts';
import { Recorder } from '../../packages/server/src/record/recorder.ts';
import { Settings } from '../../packages/server/src/settings/settings.ts';
import { MortalClock, VirtualClock } from './clock.ts';
import { Disk } from './disk.ts';
import { Endpoints, type Receipt, TIMEOUT } from './endpoints.ts';
import { longestLine } from './order.ts';
import { type Change, type Deletion, type Plan, START } from './plan.ts';
import { Promises } from './promises.ts';
import { Random } from './random.ts';
import { Trace } from './trace.ts';
import { World } from './world.ts';

export interface Result {
  /** The promises that were broken, in words; empty when all held. */
  readonly broken: readonly string[];
  /** Two runs with the same digest were the same run. */
  readonly digest: string;
  /** What happened, line by line; empty unless asked for. */
  readonly lines: readonly string[];
  /** How long the run took in the time of its world, milliseconds. */
  readonly time: number;
  /** First arrival of each message at each URL, by `URL messageId`. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** One life of the process. */
interface Life {
  readonly clock: MortalClock;
  readonly world: World;
  readonly settings: Settings;
  readonly deliverer: Deliverer;
  /** Whether it takes calls: the front door opens last. */
  started: boolean;
}

/** Wait after a removal that failed. */
const RETRY_MS = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long an endpoint's Retry-After holds up other messages at most. */
const LONGEST_PAUSE = MINUTE / 2;

/**
 * Runs a plan to its end, hours in milliseconds, and answers which promises it broke. `clockOf` makes the clock of each life of the
 * process of that of the world.
 */
export async function simulate(
  plan: Plan,
  keepLines = false,
  clockOf: (world: Clock) => Clock = (world) => world,
): Promise<Result> {
  const simulation = new Simulation(plan, keepLines, clockOf);
  return simulation.run();
}

class Simulation {
  readonly #plan: Plan;
  readonly #clockOf: (world: Clock) => Clock;
  readonly #clock = new VirtualClock(START);
  readonly #disk = new Disk();
  readonly #trace: Trace;
  readonly #promises: Promises;
  readonly #endpoints: Endpoints;
  readonly #random: Random;
  readonly #arrivals = new Map<string, number>();
  #life: Life | null = null;
  #lives = 0;
  #inFlight = 0;

  constructor(plan: Plan, keepLines: boolean, clockOf: (world: Clock) => Clock) {
    this.#plan = plan;
    this.#clockOf = clockOf;
    this.#random = new Random(plan.seed).fork('process');
    this.#trace = new Trace(START, keepLines);
    this.#promises = new Promises(
      plan,
      this.#disk,
      {
        now: () => this.#now(),
        skipped: (since) => this.#life?.clock.skipped(since) ?? 0,
        breaker: (id) => this.#life?.deliverer.status(id)?.breaker,
        destination: (id) => this.#life?.settings.destination(id),
      },
      this.#trace,
    );
    this.#endpoints = new Endpoints(plan.endpoints, new Random(plan.seed).fork('endpoints'), {
      sent: (receipt, inFlight) => this.#sent(receipt, inFlight),
      answered: (receipt) => {
        this.#inFlight--;
        this.#promises.answered(receipt);
      },
    });
  }

  /** As the process sees it. */
  #now(): number {
    return this.#life?.clock.now() ?? this.#clock.now();
  }

  async run(): Promise<Result> {
    this.#setUp();
    this.#start();
    const at = (time: number, run: () => void): void => void this.#clock.after(time - START, run);
    for (const event of this.#plan.events) at(event.receivedAt, () => this.#accept(event));
    for (const change of this.#plan.changes) at(change.at, () => this.#change(change));
    for (const deletion of this.#plan.deletions) at(deletion.at, () => this.#delete(deletion));
    for (const { at: time, how, downFor } of this.#plan.ends) at(time, () => this.#end(how, downFor));
    await this.#settle();
    await this.#stopAtEnd();
    this.#promises.finish();
    return {
      broken: this.#promises.broken,
      digest: this.#trace.digest,
      lines: this.#trace.lines,
      time: this.#clock.now() - START,
      arrivals: this.#arrivals,
    };
  }

  /** Everything that was planned happens, then everything that waits has its window. */
  async #settle(): Promise<void> {
    const { events, changes, destinations, ends, policy, world } = this.#plan;
    const planned = [...events.map(({ receivedAt }) => receivedAt), ...changes.map(({ at }) => at)];
    for (const { at } of this.#plan.deletions) planned.push(at);
    for (const { at, downFor } of ends) planned.push(at + downFor + this.#plan.drainTime + TIMEOUT);
    for (const { to } of world.troubles) planned.push(to);
    const last = Math.max(START, ...planned) + MINUTE;
    while (this.#clock.now() < last) {
      await this.#clock.advance(Math.min(this.#clock.now() + HOUR / 2, last));
      this.#promises.count();
    }
    // A message can wait in the log for as long as its window, and have its first attempt, and with it a window, then; and an
    // endpoint that asks for a pause after each message has work for long after that. In order, calls of a user come one by one.
    const spared = Math.max(12 * HOUR, events.length * LONGEST_PAUSE);
    const latest = last + 2 * policy.window + spared + longestLine(destinations, events, policy.window);
    while (this.#promises.count() > 0 && this.#clock.now() < latest)
      await this.#clock.advance(this.#clock.now() + HOUR / 4);
  }

  async #stopAtEnd(): Promise<void> {
    if (this.#life) this.#stop(this.#life, () => undefined);
    await this.#clock.advance(this.#clock.now() + this.#plan.drainTime + 2 * TIMEOUT);
  }

  #setUp(): void {
    for (const id of new Set(this.#plan.events.map(({ sourceId }) => sourceId))) {
      const createdAt = new Date(START).toISOString();
      const source = { id, name: id, type: 'server', writeKey: id, enabled: true, createdAt, oldKey: null } as const;
      this.#disk.sources.set(id, source);
    }
    for (const destination of this.#plan.destinations) {
      if (this.#plan.later.has(destination.id)) continue;
      for (const sourceId of destination.sourceIds) this.#disk.openLane(sourceId, destination.id);
      this.#disk.destinations.set(destination.id, destination);
    }
  }

  #start(): void {
    // What a life before this one had under way never ends.
    this.#changing.clear();
    const clock = new MortalClock(this.#clockOf(this.#clock));
    const random = this.#random.fork(`life ${this.#lives++}`);
    const world = new World(this.#disk, this.#clock, random.fork('store'), this.#plan.world, this.#promises);
    const settings = new Settings(world, world, clock);
    const recorder = new Recorder(world, () => undefined, { clock });
    const jitter = random.fork('jitter');
    const deliverer = new Deliverer({
      log: world,
      settings,
      clock,
      openSender: this.#endpoints.openSender(clock),
      claims: world,
      hasten: (...of) => world.hasten(...of),
      record: (result, recorded) => {
        this.#promises.decided(result);
        recorder.record(result, recorded);
      },
      flush: () => recorder.flush(),
      policy: this.#plan.policy,
      maxConcurrency: this.#plan.maxConcurrency,
      retention: Number.POSITIVE_INFINITY,
      peers: ALONE,
      gracePeriod: 0,
      leadAfter: 0,
      stopTime: this.#plan.drainTime,
      drainTime: this.#plan.drainTime,
      random: () => jitter.next(),
      meter: { attempted: () => undefined, settled: () => undefined },
      report: (error) => this.#trace.note(this.#clock.now(), `report ${error}`),
    });
    const life: Life = { clock, world, settings, deliverer, started: false };
    this.#life = life;
    this.#inFlight = 0;
    this.#promises.restarted();
    this.#trace.note(this.#clock.now(), 'start');
    const follow = (): void => {
      for (const { id } of this.#plan.destinations) this.#see(id, settings);
    };
    void settings.load().then(async () => {
      follow();
      settings.onChange(follow);
      await deliverer.lead.start();
      await deliverer.start();
      life.started = true;
    });
  }

  /** Tells the promises when a destination's settings have changed. */
  readonly #seen = new Map<string, unknown>();
  #see(id: string, settings: Settings): void {
    const destination = settings.destination(id);
    const before = this.#seen.get(id) as typeof destination;
    if (before === destination) return;
    this.#seen.set(id, destination);
    const urls = before !== undefined && !isDeepStrictEqual(urlsOf(before), urlsOf(destination));
    this.#promises.changed(id, destination, urls);
  }

  #sent(receipt: Receipt, inFlight: number): void {
    this.#inFlight++;
    const key = `${receipt.url} ${receipt.messageId}`;
    if (!this.#arrivals.has(key)) this.#arrivals.set(key, receipt.at);
    this.#promises.sent(receipt, inFlight);
  }

  #accept(event: Plan['events'][number]): void {
    const entry = this.#disk.append({ ...event, receivedAt: this.#now() });
    this.#trace.note(this.#clock.now(), `accept ${event.messageId} ${event.sourceId}`);
    this.#promises.accepted(entry);
    this.#life?.world.appended(entry);
  }

  /** A change begins with what the one before has made of the destination: the API refuses others. */
  readonly #changing = new Map<string, Promise<void>>();
  #change({ destinationId, what, apply }: Change): void {
    const change = async (): Promise<void> => {
      const settings = this.#life?.started ? this.#life.settings : undefined;
      const before = settings?.destination(destinationId) ?? null;
      const after = apply(before, this.#disk.entries.length);
      if (!settings || before === after) return;
      this.#trace.note(this.#clock.now(), `change ${destinationId} ${what}`);
      await (after ? settings.putDestination(after) : settings.deleteDestination(destinationId));
    };
    const refused = (): void => this.#trace.note(this.#clock.now(), `change ${destinationId} ${what} refused`);
    const before = this.#changing.get(destinationId);
    this.#changing.set(destinationId, (before ? before.then(change) : change()).catch(refused));
  }

  /** Removes events as regulations/ does it: again and again until it is done, and then from all that hold them. */
  #delete({ share }: Deletion): void {
    const life = this.#life;
    if (!life?.started) return;
    const entries = this.#disk.entries.filter(() => this.#random.chance(share));
    const erase = (): void => {
      life.world.erase(entries).then(
        () => {
          life.deliverer.withdraw(new Set(entries.map(({ position }) => position)));
          this.#promises.withdrawn(entries);
        },
        () => life.clock.after(RETRY_MS, erase),
      );
    };
    erase();
  }

  #end(how: 'crash' | 'stop', downFor: number): void {
    const life = this.#life;
    if (!life) return;
    const startAgain = (): void => void this.#clock.after(downFor, () => this.#start());
    if (how === 'stop') {
      this.#stop(life, startAgain);
      return;
    }
    this.#trace.note(this.#clock.now(), 'crash');
    this.#kill(life);
    startAgain();
  }

  #kill(life: Life): void {
    this.#promises.lostAt = this.#clock.now();
    life.world.kill();
    life.clock.kill();
    this.#life = null;
  }

  /** Stops in order, and checks that this ends in time and leaves nothing behind. */
  #stop(life: Life, stopped: () => void): void {
    const began = this.#clock.now();
    const { drainTime } = this.#plan;
    this.#trace.note(began, 'stop');
    let ended = false;
    void life.deliverer.stop().then(() => {
      ended = true;
      if (this.#life !== life) return;
      const now = this.#clock.now();
      this.#trace.note(now, 'stopped');
      const sick = this.#plan.world.troubles.some(({ from, to }) => from - MINUTE <= now && now < to + MINUTE);
      if (now - began >= drainTime || sick) this.#promises.lostAt = now;
      if (this.#inFlight > 0) this.#promises.break(`${this.#inFlight} requests are under way after a stop`);
      if (life.clock.pending > 0 && !sick) this.#promises.break(`${life.clock.pending} timers are left by a stop`);
      for (const { id } of life.settings.destinations()) {
        const held = life.world.claimedOf(id).size;
        if (held > 0 && !sick && now - began < drainTime)
          this.#promises.break(`${held} claims of ${id} are left by a stop`);
      }
      life.world.close();
      life.clock.kill();
      this.#life = null;
      stopped();
    });
    this.#clock.after(drainTime + TIMEOUT, () => {
      if (ended || this.#life !== life) return;
      this.#promises.break('a stop did not end in its time');
      this.#kill(life);
      stopped();
    });
  }
}

function urlsOf(destination: Destination | undefined): (readonly [id: string, url: string])[] | undefined {
  return destination?.webhooks.map(({ id, url }) => [id, url] as const);
}
