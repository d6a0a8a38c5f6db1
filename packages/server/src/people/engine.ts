import pLimit from 'p-limit';
import type { Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import { areSameOffsets, type Offsets, reachedIn, shardKey, shardOf } from '../core/position.ts';
import { revisionOf } from '../core/revision.ts';
import { sharedRun } from '../core/shared-run.ts';
import type {
  Definition,
  Due,
  Message,
  ProfileErasure,
  ProfileReader,
  ProfileStore,
  ProfileWriter,
} from './contract.ts';
import { Decider } from './decider.ts';
import type { EngineStatus } from './engine-status.ts';
import { type EntryColumns, unpackCalls } from './entries.ts';
import { erasePersons } from './erasing.ts';
import { type ExpiryPlace, expirePage } from './expiring.ts';
import { IDENTITY_RULES, type IdentityRules } from './identity-rules.ts';
import { computing, following, living, nextJob } from './jobs.ts';
import { askersOf, mentions } from './mentions.ts';
import { type Rule, Rules } from './rules.ts';
import { affectedBy, takeIn } from './taking-in.ts';
import { takeOut } from './taking-out.ts';

/** How much is done in one step, so that another kind of step soon has its turn. */
const PAGE = 1_000;
/** Persons a job decides of in one step: a few hundredths of a second, and a few megabytes. */
const JOB_PAGE = 2_000;
const FORGET_PAGE = 5_000;
const HOUR = 3_600_000;

/**
 * Takes in calls, decides who is a member of what, and keeps what must be told, in steps. Each step is one transaction:
 * when the process ends in between, a step has happened whole or not at all, and none happens twice.
 *
 * Steps happen one after the other, in the order in which they are called.
 */
export class Engine {
  readonly #store: ProfileStore;
  readonly #page: number;
  readonly #jobPage: number;
  readonly #identity: IdentityRules;
  #rules: Rules = new Rules([]);
  #definitions: readonly Definition[] = [];
  #positions = new Map<string, Position>();
  #ownSources: ReadonlySet<string> = new Set();
  #rebuilding = false;
  #erasing = false;
  #outbox = 0;
  /** Of which the sizes were kept; 0 where that is not known. */
  #hour = 0;
  readonly #inTurn = pLimit(1);
  /** Those that are not being forgotten. All who wait at one time share one read: each of them may take long to fail. */
  readonly definitions: () => Promise<readonly Definition[]> = sharedRun(this.#inTurn, async () =>
    living(await this.#store.definitions()),
  );
  /** A step failed: what is known in memory may not be what is stored. */
  #doubtful = false;

  /** `page` overrides how much is done in a step. */
  constructor(store: ProfileStore, page?: number, identity: IdentityRules = IDENTITY_RULES) {
    this.#store = store;
    this.#identity = identity;
    this.#page = page ?? PAGE;
    this.#jobPage = page ?? JOB_PAGE;
  }

  /** How it stands now, with what other processes have changed. Must come before the first step. */
  look(): Promise<EngineStatus> {
    return this.#inTurn(async () => {
      await this.#readAnew();
      return this.#status();
    });
  }

  /**
   * Takes in entries of the log. Those of one source come in order; those that were taken in before are passed over.
   *
   * @param after the offsets that the entries follow. Where the engine stands elsewhere by now, because a rebuild has begun, nothing is done.
   */
  take(columns: EntryColumns, now: number, after: Offsets | null = null): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (after === null || this.#isAt(after)) await this.#takeIn(writer, columns, now);
    });
  }

  /** Goes on from here in those shards of which nothing was taken in yet. */
  reach(offsets: Offsets, now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      const [known, reached] = [reachedIn(this.#positions), new Map<string, Position>()];
      offsets.forEach((position, shard) => {
        if (known[shard] === undefined) reached.set(shardKey(shard), position);
      });
      await writer.setPositions(reached);
      for (const [key, position] of reached) this.#positions.set(key, position);
    });
  }

  /** Decides anew what is due, the longest due first, a page of it. */
  slide(now: number): Promise<EngineStatus> {
    return this.#step(now, (writer) => this.#slide(writer, now));
  }

  /** Does a page of the first job there is. */
  work(now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (this.#rebuilding) return;
      const definition = nextJob(this.#definitions, this.#rules);
      if (!definition?.job) return;
      const { id, job } = definition;
      // Who is a member is stale where that is due.
      if (job.kind === 'sync' && ((await writer.nextDue()) ?? Number.POSITIVE_INFINITY) <= now) {
        return this.#slide(writer, now);
      }
      if (job.kind === 'forget') {
        if (await writer.forget(id, FORGET_PAGE)) await this.#readDefinitions(writer);
        return;
      }
      const rule = this.#rules.get(id);
      if (!rule) return;
      const decider = this.#decider(writer, now);
      // Of a sync it counts from the highest number down.
      const top = job.total + 1;
      const last = await (job.kind === 'compute'
        ? decider.compute(rule, job.done, this.#jobPage)
        : decider.sync(rule, top - job.done, this.#jobPage));
      const done = last === null || job.kind === 'compute' ? last : top - last;
      await writer.putDefinition({ ...definition, job: following(job, done) });
      await this.#readDefinitions(writer);
    });
  }

  /**
   * Adds a definition, or changes one; `compute` says whether what was decided under it must be decided anew, else the job
   * under way goes on: it may have advanced since the definition was read. What it was told before stays known, so that
   * only changes will be told.
   *
   * @param replaces the revision that must be there.
   * @throws Error when its key is another one's, it asks about an audience that is gone, audiences would ask about each other
   * in a circle, or it has another revision.
   */
  put(definition: Definition, compute: boolean, now: number, replaces?: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      const { id, key, what } = definition;
      const all = living(this.#definitions);
      // Other processes may have made and deleted others since the definition was checked.
      if (all.some((other) => other.key === key && other.id !== id)) {
        throw new Error(`${key} is the key of another definition.`);
      }
      const asked = compute && 'audience' in what ? mentions(what.audience).audiences : new Set<string>();
      if (!asked.isSubsetOf(new Set(all.map((other) => other.id)))) throw new Error(`${id} asks about what is gone.`);
      const before = all.find((other) => other.id === id);
      if (replaces !== undefined && (!before || revisionOf(before) !== replaces))
        throw new Error(`${id} was changed meanwhile.`);
      const total = await writer.lastPerson();
      const job = compute ? computing(before?.job ?? null, total) : (before?.job ?? null);
      await writer.putDefinition({ ...definition, job });
      await this.#readDefinitions(writer);
    });
  }

  /**
   * Begins to forget a definition that no audience asks about: from now on nothing is decided or told under it.
   * @throws Error when it has another revision than the one asked for, or is forgotten already.
   */
  forget(id: string, now: number, revision?: number): Promise<EngineStatus> {
    return this.#startJob(id, 'forget', now, revision);
  }

  /** Has every member told again. Takes effect only on a definition whose first computation is over. */
  sync(id: string, now: number): Promise<EngineStatus> {
    return this.#startJob(id, 'sync', now);
  }

  outbox(limit: number): Promise<readonly Message[]> {
    return this.#store.outbox(limit);
  }

  /** The log has accepted these messages. */
  told(ids: readonly number[], now: number): Promise<EngineStatus> {
    return this.#step(now, (writer) => writer.told(ids, now));
  }

  /** Forgets all persons; what follows is the log from its beginning, and `rebuilt`. */
  rebuild(now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      await writer.wipe();
      this.#positions.clear();
      await writer.setRebuilding(true);
    });
  }

  /** The log was read up to these offsets, beyond where it ended when the rebuild began: everything is decided anew. */
  rebuilt(reached: Offsets, now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (!this.#rebuilding || !this.#isAt(reached)) return;
      await writer.setRebuilding(false);
      await this.#computeAll(writer);
    });
  }

  /**
   * Erases persons; see erasing.ts. Everything up to `through` must have been taken in, and nothing after it: then
   * what comes later is another life of theirs. Does nothing during a rebuild, which does not know all their ids yet.
   */
  erase(id: string, userIds: readonly string[], through: Offsets, now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (!this.#rebuilding) await erasePersons(writer, id, userIds, through);
    });
  }

  /** The erasure of this id; null when there is none under way. */
  erasure(id: string): Promise<ProfileErasure | null> {
    return this.#inTurn(() => this.#store.erasure(id));
  }

  /** Removes a page of what erased persons did; with the last of it the erasure ends. */
  sweep(id: string, now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (await writer.sweep(FORGET_PAGE)) await writer.endErasure(id);
    });
  }

  /**
   * Takes an id out of its person, and decides of both anew; see taking-out.ts.
   *
   * @throws Fault `not_found` for an id that is unknown, `conflict` for a person's only one and during a rebuild.
   */
  takeOut(id: string, now: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      if (this.#rebuilding) throw new Fault('conflict', 'Profiles are being rebuilt: try again when that is over');
      const persons = await takeOut(writer, id);
      await this.#decider(writer, now).decide(new Map(persons.map((person) => [person, 'all'])));
    });
  }

  /** Forgets a page of what is from before a time; see expiring.ts. During a rebuild it decides nothing. */
  async expire(
    before: number,
    from: ExpiryPlace,
    now: number,
  ): Promise<EngineStatus & { readonly next: ExpiryPlace | null }> {
    let next: ExpiryPlace | null = null;
    const status = await this.#step(now, async (writer) => {
      const page = { events: this.#page, persons: this.#jobPage };
      const decider = this.#rebuilding ? null : this.#decider(writer, now);
      next = await expirePage(writer, decider, before, from, page);
    });
    return { ...status, next };
  }

  /** See ProfileStore.compact. */
  compact(): Promise<boolean> {
    return this.#inTurn(() => this.#store.compact());
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#store.close());
  }

  /** Runs a step after the others. After one that failed, what is known in memory is first read again. */
  #step(now: number, work: (writer: ProfileWriter) => Promise<void>): Promise<EngineStatus> {
    return this.#inTurn(() => this.#run(now, work));
  }

  async #run(now: number, work: (writer: ProfileWriter) => Promise<void>): Promise<EngineStatus> {
    if (this.#doubtful) await this.#readAnew();
    this.#doubtful = true;
    await this.#store.transaction(async (writer, changed) => {
      if (changed) await this.#read(writer);
      const hour = Math.floor(now / HOUR) * HOUR;
      // While the persons are read anew, their number says nothing.
      if (hour !== this.#hour && this.#definitions.length > 0) {
        if (!this.#rebuilding && (await writer.keepSizes(hour))) await this.#computeAll(writer);
        this.#hour = hour;
      }
      await work(writer);
      this.#rebuilding = await writer.rebuilding();
      this.#erasing = await writer.erasing();
      this.#outbox = await writer.outboxSize();
    });
    this.#doubtful = false;
    return this.#status();
  }

  async #read(reader: ProfileReader): Promise<void> {
    this.#positions = new Map(await reader.positions());
    this.#rebuilding = await reader.rebuilding();
    this.#erasing = await reader.erasing();
    this.#outbox = await reader.outboxSize();
    await this.#readDefinitions(reader);
  }

  async #readAnew(): Promise<void> {
    await this.#read(this.#store);
    if (this.#doubtful) this.#hour = 0;
    this.#doubtful = false;
  }

  async #status(): Promise<EngineStatus> {
    const nextHour = this.#definitions.length > 0 ? this.#hour + HOUR : null;
    const nextDue = !this.#rebuilding ? await this.#store.nextDue() : null;
    return {
      outbox: this.#outbox,
      reached: reachedIn(this.#positions),
      live: this.#definitions.length > 0,
      nextDue: nextDue === null || nextHour === null ? (nextDue ?? nextHour) : Math.min(nextDue, nextHour),
      working: !this.#rebuilding && nextJob(this.#definitions, this.#rules) !== undefined,
      rebuilding: this.#rebuilding,
      erasing: this.#erasing,
    };
  }

  async #slide(writer: ProfileWriter, now: number): Promise<void> {
    // While the past is being read again nothing of the present can be decided.
    if (this.#rebuilding) return;
    const due = await writer.due(now, this.#page);
    const chosen = new Map<number, Set<Rule>>();
    const ruleless: Due[] = [];
    for (const one of due) {
      const rule = this.#rules.get(one.definitionId);
      if (!rule) ruleless.push(one);
      else chosen.set(one.person, (chosen.get(one.person) ?? new Set()).add(rule));
    }
    await writer.notDue(ruleless);
    // What is decided has a new time, or none.
    await this.#decider(writer, now).decide(chosen);
  }

  async #takeIn(writer: ProfileWriter, columns: EntryColumns, now: number): Promise<void> {
    const newest = new Map<string, Position>();
    const isNew = (sourceId: string, position: Position): boolean => {
      if (position <= (newest.get(sourceId) ?? this.#positions.get(sourceId) ?? 0)) return false;
      newest.set(sourceId, position);
      return !this.#ownSources.has(sourceId);
    };
    const calls = unpackCalls(columns, isNew, this.#identity);
    const reached = reachedIn(this.#positions);
    for (const position of columns.positions) {
      const shard = shardOf(position);
      reached[shard] = Math.max(position, reached[shard] ?? 0);
    }
    reached.forEach((position, shard) => {
      newest.set(shardKey(shard), position);
    });
    const { links, renamed, changes } = await takeIn(writer, calls, this.#identity);
    await writer.setPositions(newest);
    if (!this.#rebuilding && this.#rules.order.length > 0) {
      const chosen = affectedBy(this.#rules, calls, links);
      for (const person of renamed) chosen.set(person, 'all');
      const dues = changes.map(({ groupId, name }) => {
        return { groupId, definitionIds: this.#rules.onGroupTrait(name).map(({ definition }) => definition.id) };
      });
      await writer.makeGroupsDue(
        dues.filter(({ definitionIds }) => definitionIds.length > 0),
        now,
      );
      await this.#decider(writer, now).decide(chosen);
    }
    for (const [sourceId, position] of newest) this.#positions.set(sourceId, position);
  }

  async #computeAll(writer: ProfileWriter): Promise<void> {
    const total = await writer.lastPerson();
    for (const definition of living(this.#definitions)) {
      await writer.putDefinition({ ...definition, job: computing(definition.job, total) });
    }
    await this.#readDefinitions(writer);
  }

  #isAt(reached: Offsets): boolean {
    return areSameOffsets(reachedIn(this.#positions), reached);
  }

  #decider(writer: ProfileWriter, now: number): Decider {
    return new Decider(writer, this.#rules, now);
  }

  #startJob(id: string, kind: 'sync' | 'forget', now: number, revision?: number): Promise<EngineStatus> {
    return this.#step(now, async (writer) => {
      const definition = living(this.#definitions).find((candidate) => candidate.id === id);
      if (revision !== undefined && (!definition || revisionOf(definition) !== revision))
        throw new Error(`${id} was changed meanwhile.`);
      if (!definition || (kind === 'sync' && (definition.job !== null || this.#rebuilding))) return;
      if (kind === 'forget' && askersOf(id, living(this.#definitions)).length > 0) return;
      await writer.putDefinition({ ...definition, job: { kind, done: 0, total: await writer.lastPerson() } });
      await this.#readDefinitions(writer);
    });
  }

  async #readDefinitions(reader: ProfileReader): Promise<void> {
    this.#definitions = await reader.definitions();
    this.#ownSources = await reader.ownSources();
    this.#rules = new Rules(this.#definitions);
  }
}
