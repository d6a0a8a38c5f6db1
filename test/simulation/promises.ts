import type { DeliveryResult } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import type { LogEntry, Position } from '../../packages/server/src/core/event.ts';
import { isDiscarded, isPaused, resumedBy } from '../../packages/server/src/core/hold.ts';
import type { Lane } from '../../packages/server/src/core/lane.ts';
import { endOf } from '../../packages/server/src/core/tally.ts';
import type { BreakerState } from '../../packages/server/src/deliver/breaker.ts';
import { verdict } from '../../packages/server/src/deliver/route.ts';
import type { Disk, Row } from './disk.ts';
import { destinationOf, type Receipt, type Witness } from './endpoints.ts';
import { type Lanes, newLanes } from './lanes.ts';
import { heldUpBy, isOrderedSince, type Message } from './order.ts';
import { leastPaused, mostPaused } from './pauses.ts';
import type { Plan } from './plan.ts';
import type { Trace } from './trace.ts';
import type { StoreWitness } from './world.ts';

/** What the promises are measured against, beside what happens: the process as it is at the moment. */
export interface Present {
  /** As the process sees it, like every time here. */
  now(): number;
  /** How much of the time since then did not pass: the machine's clock was set forward. */
  skipped(since: number): number;
  breaker(destinationId: string): BreakerState | undefined;
  destination(id: string): Destination | undefined;
}

/** The most that a destination holds: its window, what it takes from the retry queue, and a page of each lane. */
const WINDOW = 2048;
const WINDOW_OF_SEVERAL = 8192;
const RETRY_PAGE = 1024;
const LANE_PAGE = 256;

/** The longest that a call of the store takes where that has troubles. */
const LONGEST_CALL = 2 * 60_000;

/** The longest that a message outlives its window where the breaker is open all the while: a probe's wait and then some. */
const LATEST = 5 * 60_000;

/**
 * Watches everything that goes in and out of the lane loop, and notes where a promise is broken (ARCHITECTURE.md, docs/delivery.md).
 * It knows only what is seen from outside: requests, records, acknowledgements, and the breaker's published state.
 */
export class Promises implements Witness, StoreWitness {
  readonly broken: string[] = [];
  readonly #plan: Plan;
  readonly #disk: Disk;
  readonly #present: Present;
  readonly #trace: Trace;
  readonly #messages = new Map<string, Message>();
  /** The same, by destination, source and user. */
  readonly #ofUsers = new Map<string, Message[]>();
  readonly #destinations = new Map<string, Lanes>();
  readonly #bodies = new Map<string, string>();
  readonly #byMessageId = new Map<string, LogEntry>();
  /** Where events that were removed had waited. */
  readonly #erased = new Map<LogEntry, readonly string[]>();
  /** MessageIds of those of them that no stage may hold now. */
  readonly #withdrawn = new Set<string>();
  /** When the process last lost what it had not recorded: by a crash, or a stop that took too long. */
  lostAt: number = Number.NEGATIVE_INFINITY;
  /** When this process began. */
  restartedAt: number = Number.NEGATIVE_INFINITY;

  constructor(plan: Plan, disk: Disk, present: Present, trace: Trace) {
    this.#plan = plan;
    this.#disk = disk;
    this.#present = present;
    this.#trace = trace;
  }

  break(promise: string): void {
    this.#trace.note(this.#present.now(), `BROKEN ${promise}`);
    if (this.broken.length < 20) this.broken.push(promise);
  }

  /** An event is in the log: each destination that is connected now has a lane that holds it. */
  accepted(entry: LogEntry): void {
    this.#byMessageId.set(entry.messageId, entry);
    this.#bodies.set(entry.messageId, Buffer.from(entry.body).toString('latin1'));
    for (const { id } of this.#plan.destinations) {
      if (!this.#present.destination(id)?.sourceIds.includes(entry.sourceId)) continue;
      if (!this.#lanesOf(id).some((lane) => lane.sourceId === entry.sourceId && lane.until === null)) {
        this.break(`${id} is connected to ${entry.sourceId} and has no lane for ${entry.messageId}`);
      }
    }
  }

  changed(destinationId: string, destination: Destination | undefined, urls: boolean): void {
    const known = this.#destination(destinationId);
    const before = known.versions.at(-1)?.destination;
    known.versions.push({ from: this.#present.now(), destination });
    // What waits for it is due now.
    if (before && destination && resumedBy(before, destination).length > 0) {
      known.resumedAt = this.#present.now();
      for (const message of this.#messages.values()) {
        if (message.destinationId === destinationId && message.retry) message.retry = { ...message.retry, earliest: 0 };
      }
    }
    if (urls) known.edited = true;
  }

  /** What was parked is due now; where the store is slow, what has had a round of its own since. */
  hastened(destinationId: string, messageId: string): void {
    const message = this.#message(destinationId, messageId);
    if (message?.retry) message.retry = { ...message.retry, earliest: 0 };
  }

  sent(receipt: Receipt, inFlight: number): void {
    const { url, messageId, at } = receipt;
    const destinationId = destinationOf(url);
    const message = this.#message(destinationId, messageId);
    const known = this.#destination(destinationId);
    this.#trace.note(at, `send ${messageId} ${url}`);
    if (!message) {
      this.break(`${url} received ${messageId}, which was not accepted`);
      return;
    }
    if (this.#withdrawn.has(messageId)) this.break(`${url} received ${messageId}, which was removed`);
    if (receipt.text !== this.#bodies.get(messageId)) this.break(`${url} received other bytes for ${messageId}`);
    if (inFlight > this.#plan.maxConcurrency) this.break(`${url} has ${inFlight} requests at once`);
    const destination = this.#present.destination(destinationId);
    if (!destination?.webhooks.some((webhook) => webhook.url === url)) {
      this.break(`${url} received ${messageId} and is no URL of ${destinationId}`);
    }
    if (destination && [destination, ...destination.webhooks.filter((one) => one.url === url)].some(isPaused))
      this.break(`${url} received ${messageId} while it was paused`);
    if (destination && this.#isDiscarded(message.entry, destination, url))
      this.break(`${url} received ${messageId}, which was discarded there`);
    if (!this.#mayBeSent(message, known)) this.break(`${url} received ${messageId}, which no rule let through`);
    if (message.end && !this.#handedOutAgain) {
      this.break(`${url} received ${messageId} after its end (${message.end.state})`);
    }
    const again = message.receipts.find((each) => each.url === url && each.outcome?.class === 'success');
    if (again && (again.answeredAt ?? 0) > this.lostAt && !this.#handedOutAgain) {
      this.break(`${url} received ${messageId} again after it had taken it`);
    }
    if (message.retry && !this.#handedOutAgain) {
      const { earliest, urlsLeft } = message.retry;
      if (at < earliest) this.break(`${url} received ${messageId} ${earliest - at} ms before its time`);
      const left = destination?.webhooks.filter(({ id }) => urlsLeft.includes(id)) ?? [];
      if (left.length > 0 && !left.some((webhook) => webhook.url === url))
        this.break(`${url} received ${messageId} again, which it had refused`);
    }
    if (destination && isOrderedSince(known.versions, this.restartedAt)) this.#checkOrder(message, destination);
    message.receipts.push(receipt);
    this.#watchBreaker(destinationId, receipt);
  }

  answered(receipt: Receipt): void {
    const { url, messageId, outcome } = receipt;
    const destinationId = destinationOf(url);
    this.#trace.note(this.#present.now(), `answer ${messageId} ${url} ${outcome?.status ?? outcome?.error}`);
    const known = this.#destination(destinationId);
    known.inFlight.delete(receipt);
    const ramp = known.ramps.get(receipt.sender);
    ramp?.before.delete(receipt);
    if (ramp && outcome?.class !== 'temporary') ramp.allowed++;
  }

  /** The loop has decided, and hands the decision to the recorder. */
  decided(result: DeliveryResult): void {
    const { destinationId, entry, state, reason, attempts, at } = result;
    this.#seeBreaker(destinationId);
    const destination = this.#present.destination(destinationId);
    const isDiscarded =
      reason === 'discarded' && destination?.webhooks.some(({ url }) => this.#isDiscarded(entry, destination, url));
    if (state === 'filtered' && destination && !isDiscarded && verdict(entry, destination) !== reason) {
      this.break(`${entry.messageId} is filtered at ${destinationId} (${reason}), and no rule says so`);
    }
    const bulk = reason === 'window_ended' && attempts.length === 0;
    if (bulk && this.#destination(destinationId).breaker !== 'open') {
      this.break(`${entry.messageId} ended unsent at ${destinationId}, whose breaker is not open`);
    }
    const message = this.#message(destinationId, entry.messageId);
    for (const attempt of attempts) {
      if (endOf(attempt) === null) continue;
      const { url, at: began } = attempt;
      if (!message?.receipts.some((receipt) => receipt.url === url && receipt.at === began)) {
        this.break(`an attempt of ${entry.messageId} at ${url} is recorded that was never made`);
      }
    }
    this.#trace.note(at, `decide ${entry.messageId} ${destinationId} ${state} ${reason ?? ''} due ${result.dueAt}`);
  }

  settled(result: DeliveryResult, before: Row | undefined, changed: boolean): void {
    const { destinationId, entry, state } = result;
    const message = this.#message(destinationId, entry.messageId);
    if (!message) {
      this.break(`${entry.messageId} is recorded, which was not accepted`);
      return;
    }
    this.#trace.note(
      this.#present.now(),
      `record ${entry.messageId} ${destinationId} ${state}${changed ? '' : ' (known)'}`,
    );
    if (!changed) {
      // A record whose answer was lost is written twice; otherwise nothing is.
      const excused = this.#plan.world.troubles.length > 0 || this.#handedOutAgain || before?.reason === 'user_deleted';
      if (!excused) this.break(`${entry.messageId} is recorded twice at ${destinationId} (${before?.state}, ${state})`);
      return;
    }
    if (this.#disk.retryQueue(destinationId).size > RETRY_PAGE) this.#destination(destinationId).crowded = true;
    if (state === 'retrying') this.#retrying(message, result);
    else message.end = result;
    if (state === 'processed') this.#processed(message, result);
    if (state === 'failed') this.#failed(message, result);
  }

  handedOut(destinationId: string, max: number, held: number): void {
    if (max > LANE_PAGE) this.break(`${destinationId} asks for a page of ${max}`);
    // Edits of the URLs leave begun what the window of before allowed.
    const several = this.#destination(destinationId).versions.some(
      ({ destination }) => (destination?.webhooks.length ?? 0) > 1,
    );
    const window = several ? WINDOW_OF_SEVERAL : WINDOW;
    const most = window + RETRY_PAGE + 64 + LANE_PAGE * this.#lanesOf(destinationId).length;
    if (held > most) this.break(`${destinationId} holds ${held} messages`);
  }

  acked(lane: Lane, position: Position): void {
    if (!this.#disk.rows(lane.destinationId).has(position)) {
      this.break(`position ${position} of lane ${lane.id} is acknowledged before its record is durable`);
    }
  }

  erased(entry: LogEntry, destinationIds: readonly string[]): void {
    this.#erased.set(entry, destinationIds);
    this.#trace.note(this.#present.now(), `erase ${entry.messageId} ${destinationIds}`);
  }

  /** All that held what was removed have let go of it. */
  withdrawn(entries: Iterable<LogEntry>): void {
    for (const { messageId } of entries) this.#withdrawn.add(messageId);
  }

  /** The counts of every lane, from the disk alone: accepted = processed + failed + filtered + waiting. Answers what waits. */
  count(): number {
    let waiting = 0;
    for (const { lane, acked } of this.#disk.lanes.values()) {
      const rows = this.#disk.rows(lane.destinationId);
      for (const { position, messageId } of this.#disk.entriesOf(lane)) {
        const row = rows.get(position);
        if (row && row.laneId !== lane.id)
          this.break(`${messageId} is counted in lane ${row.laneId}, not in ${lane.id}`);
        if (!row && acked.has(position)) this.break(`${messageId} has left lane ${lane.id} and is nowhere`);
        if (!row || row.state === 'retrying') waiting++;
      }
    }
    return waiting;
  }

  /** After everything had its time. */
  finish(): void {
    this.#checkErased();
    for (const { lane } of this.#disk.lanes.values()) {
      // The store refused to create the destination: the lane goes with a later change, or the next start.
      if (!this.#destination(lane.destinationId).versions.some(({ destination }) => destination)) continue;
      const stuck = this.#disk.entriesOf(lane).filter(({ position }) => {
        const row = this.#disk.rows(lane.destinationId).get(position);
        return !row || row.state === 'retrying';
      });
      const [first] = stuck;
      if (first)
        this.break(
          `${stuck.length} events of lane ${lane.id} (${lane.destinationId}) still wait, first ${first.messageId}`,
        );
    }
  }

  #checkOrder(message: Message, destination: Destination): void {
    const still = this.#ofUser(message).filter(({ entry }) => !this.#erased.has(entry));
    const at = { lanes: this.#lanesOf(destination.id), restartedAt: this.restartedAt, now: this.#present.now() };
    const before = heldUpBy(message, still, destination, at);
    if (before) {
      this.break(`${destination.id} received ${message.entry.messageId} before ${before} of the same user had an end`);
    }
  }

  #retrying(message: Message, result: DeliveryResult): void {
    // It waits for another call of its user, and not for its own next round.
    if (result.attempts.length === 0 && this.#present.destination(result.destinationId)?.order === 'user') {
      message.retry = null;
      return;
    }
    message.retriedSince ??= result.at;
    const { rounds, firstAt, dueAt, urlsLeft, at } = result;
    const { base, cap } = this.#plan.policy;
    const end = this.#windowEnd(firstAt ?? at) + this.#mostPaused(result.destinationId, firstAt ?? at);
    const destination = this.#present.destination(result.destinationId);
    // A URL that stood still when the round began was no part of it; where each did, there was no attempt.
    const { resumedAt } = this.#destination(result.destinationId);
    const wasHeld = [at, ...result.attempts.map((attempt) => attempt.at)].some((time) => time <= resumedAt);
    const isHeld = wasHeld || (destination && [destination, ...destination.webhooks].some(isPaused));
    if (dueAt === null || (dueAt > end && !isHeld))
      this.break(`${message.entry.messageId} is due at ${dueAt}, its window ends at ${end}`);
    let asked = 0;
    for (const { url, at: began } of result.attempts) {
      const receipt = message.receipts.find((each) => each.url === url && each.at === began);
      if (receipt?.outcome?.class !== 'temporary') continue;
      asked = Math.max(asked, (receipt.answeredAt ?? 0) + (receipt.outcome.retryAfter ?? 0));
    }
    const backoff = at + Math.min(base * 2 ** (rounds - 1), cap) / 2;
    // What was recorded while a resume made the retry queue due may be among it.
    const isHastened = at <= this.#destination(result.destinationId).resumedAt + LONGEST_CALL;
    const soonest = this.#windowEnd(firstAt ?? at) + this.#paused(result.destinationId, firstAt ?? at);
    const earliest = isHastened ? 0 : Math.min(Math.max(backoff, asked), soonest);
    message.retry = { earliest, urlsLeft: urlsLeft ?? [] };
  }

  #processed(message: Message, { attempts, at, destinationId }: DeliveryResult): void {
    const destination = this.#present.destination(destinationId);
    if (destination?.success === 'all' && !this.#destination(destinationId).edited) {
      const missed = destination.webhooks.find(
        ({ url }) =>
          !this.#isDiscarded(message.entry, destination, url) &&
          !message.receipts.some((receipt) => receipt.url === url && receipt.outcome?.class === 'success'),
      );
      if (missed)
        this.break(`${message.entry.messageId} is processed at ${destinationId}, and ${missed.url} has not taken it`);
      return;
    }
    if (destination?.success === 'all' && attempts.length === 0) return;
    const taken = message.receipts.some(({ url, at: began, answeredAt, outcome }) => {
      const recorded = attempts.some((attempt) => attempt.url === url && attempt.at === began);
      return recorded && outcome?.class === 'success' && (answeredAt ?? Infinity) <= at;
    });
    if (!taken) this.break(`${message.entry.messageId} is processed at ${destinationId}, and no URL took it`);
  }

  #failed(message: Message, result: DeliveryResult): void {
    const { destinationId, entry, reason, attempts, firstAt, at } = result;
    const { window } = this.#plan.policy;
    // One that was deleted meanwhile ends what it has under way as it was.
    const last = this.#destination(destinationId).versions.findLast(({ destination }) => destination);
    const isAll = last?.destination?.success === 'all';
    const taken =
      !isAll &&
      message.receipts.some(({ outcome, answeredAt }) => {
        return outcome?.class === 'success' && (answeredAt ?? 0) > this.lostAt;
      });
    if (taken) this.break(`${entry.messageId} failed at ${destinationId}, and a URL took it`);
    if (reason === 'window_ended') {
      const begun = firstAt ?? entry.receivedAt;
      const end = this.#windowEnd(begun) + this.#paused(destinationId, begun);
      if (at < end) this.break(`${entry.messageId} failed at ${destinationId} ${end - at} ms before its window ended`);
      const well = this.#plan.world.troubles.length === 0;
      const { openSince, crowded } = this.#destination(destinationId);
      const latest = end + this.#mostPaused(destinationId, begun) + LATEST + (crowded ? window : 0);
      // One that waits for others of its user ends after them.
      const isQueued = this.#present.destination(destinationId)?.order === 'user';
      if (well && !isQueued && openSince < end && at > latest)
        this.break(`${entry.messageId} failed at ${destinationId} ${at - end} ms late`);
      return;
    }
    if (isAll) {
      const refused = message.receipts.some(({ outcome }) => outcome?.class === 'permanent');
      if (!refused) this.break(`${entry.messageId} failed at ${destinationId} (${reason}), and no URL refused it`);
      return;
    }
    const sent = attempts.filter(({ error }) => error !== 'order_given_up');
    const classes = sent.map(({ url, at: began }) => {
      return message.receipts.find((each) => each.url === url && each.at === began)?.outcome?.class;
    });
    if (!classes.every((each) => each === 'permanent'))
      this.break(`${entry.messageId} is rejected at ${destinationId} by ${classes}`);
    if (this.#destination(destinationId).edited) return;
    const asked = this.#destination(destinationId).versions.at(-1)?.destination?.webhooks ?? [];
    for (const { url } of asked) {
      if (message.receipts.some((receipt) => receipt.url === url && receipt.outcome?.class === 'permanent')) continue;
      if (this.#isDiscarded(entry, last?.destination, url)) continue;
      this.break(`${entry.messageId} is rejected at ${destinationId}, and ${url} never refused it`);
    }
  }

  /** Whether what waited for a URL was discarded there, or at the destination as a whole. */
  #isDiscarded({ position }: LogEntry, destination: Destination | undefined, url: string): boolean {
    const all = [destination, ...(destination?.webhooks.filter((one) => one.url === url) ?? [])];
    return all.some((one) => isDiscarded(one?.hold, position, { isReplay: false, firstAt: null }));
  }

  #paused(destinationId: string, since: number): number {
    return leastPaused(this.#destination(destinationId).versions, since, this.#present.now());
  }

  #mostPaused(destinationId: string, since: number): number {
    return mostPaused(this.#destination(destinationId).versions, since, this.#present.now());
  }

  #windowEnd(firstAt: number): number {
    return firstAt + this.#plan.policy.window + this.#present.skipped(firstAt);
  }

  /** While the breaker is open nothing is sent, one message at a time is its probe, and after it the lane ramps from 1. */
  #watchBreaker(destinationId: string, receipt: Receipt): void {
    this.#seeBreaker(destinationId);
    const known = this.#destination(destinationId);
    const { url, messageId, sender } = receipt;
    if (known.breaker === 'open') this.break(`${url} received ${messageId} while the breaker was open`);
    if (known.breaker === 'probing') {
      known.probe ??= messageId;
      if (known.probe !== messageId) this.break(`${url} received ${messageId} while ${known.probe} was the probe`);
    }
    known.senders.add(sender);
    known.inFlight.add(receipt);
    const ramp = known.ramps.get(sender);
    if (!ramp) return;
    const since = [...known.inFlight].filter((each) => each.sender === sender && !ramp.before.has(each)).length;
    if (since > ramp.allowed)
      this.break(`${url} has ${since} requests at once, and may have ${ramp.allowed} after its recovery`);
  }

  #seeBreaker(destinationId: string): void {
    const known = this.#destination(destinationId);
    const breaker = this.#present.breaker(destinationId) ?? 'closed';
    if (breaker !== known.breaker) this.#trace.note(this.#present.now(), `breaker ${destinationId} ${breaker}`);
    if (breaker !== 'probing') known.probe = null;
    if (breaker === 'closed') known.openSince = Infinity;
    else if (known.breaker === 'closed') known.openSince = this.#present.now();
    if (breaker === 'closed' && known.breaker !== 'closed') {
      for (const sender of known.senders) known.ramps.set(sender, { allowed: 1, before: new Set(known.inFlight) });
    } else if (breaker !== 'closed') {
      known.ramps.clear();
    }
    known.breaker = breaker;
  }

  /** What was removed where it waited is filtered, with requests under way too. */
  #checkErased(): void {
    for (const [{ position, messageId }, destinationIds] of this.#erased) {
      for (const destinationId of destinationIds) {
        const row = this.#disk.rows(destinationId).get(position);
        if (row?.state !== 'filtered' || row.reason !== 'user_deleted') {
          this.break(
            `${messageId} was removed where it waited at ${destinationId}, and is ${row?.state} (${row?.reason})`,
          );
        }
      }
    }
  }

  /** The process is another one: breakers are closed, senders new, and what was under way is gone. */
  restarted(): void {
    this.withdrawn(this.#erased.keys());
    this.restartedAt = this.#present.now();
    for (const known of this.#destinations.values()) {
      known.breaker = 'closed';
      known.openSince = Infinity;
      known.probe = null;
      known.ramps.clear();
      known.senders.clear();
      known.inFlight.clear();
    }
  }

  /** Whether some settings that were in force since the event came let it through. */
  #mayBeSent({ entry }: Message, { versions }: Lanes): boolean {
    for (const [i, { destination }] of versions.entries()) {
      const until = versions[i + 1]?.from ?? Infinity;
      if (until >= entry.receivedAt && destination && verdict(entry, destination) === null) return true;
    }
    return false;
  }

  /** Whether a lane may have handed out again what was recorded already. */
  get #handedOutAgain(): boolean {
    return this.#plan.world.handsOutAgain && this.lostAt > 0;
  }

  #lanesOf(destinationId: string): Lane[] {
    return [...this.#disk.lanes.values()]
      .map(({ lane }) => lane)
      .filter((lane) => lane.destinationId === destinationId);
  }

  #message(destinationId: string, messageId: string): Message | undefined {
    const key = `${destinationId} ${messageId}`;
    const known = this.#messages.get(key);
    if (known) return known;
    const entry = this.#byMessageId.get(messageId);
    if (!entry) return undefined;
    const message: Message = { destinationId, entry, receipts: [], retry: null, end: null };
    this.#messages.set(key, message);
    this.#ofUser(message).push(message);
    return message;
  }

  #ofUser({ destinationId, entry: { sourceId, userId } }: Message): Message[] {
    const key = `${destinationId} ${sourceId} ${userId}`;
    const known = this.#ofUsers.get(key) ?? [];
    this.#ofUsers.set(key, known);
    return known;
  }

  #destination(id: string): Lanes {
    const known = this.#destinations.get(id);
    if (known) return known;
    const fresh = newLanes();
    this.#destinations.set(id, fresh);
    return fresh;
  }
}
