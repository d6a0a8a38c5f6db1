import fc from 'fast-check';
import { expect } from 'vitest';
import type { LogEntry } from '../../packages/server/src/core/event.ts';
import type { EngineStatus } from '../../packages/server/src/people/engine-status.ts';
import type { Person } from '../../packages/server/src/people/person.ts';
import { GROUP_IDS } from '../../packages/server/src/people/person-view.ts';
import { readPersons } from '../../packages/server/src/people/records.ts';
import { compileRule, type Rule, Rules } from '../../packages/server/src/people/rules.ts';
import { beginning, type Command, command } from './commands.ts';
import { type NaivePerson, naivePersons, naiveValues, type Past } from './naive.ts';
import { columnsOf, definitionOf, entryOf, type PeopleWorld, START, type TestCall, type What } from './world.ts';

/**
 * The engine against a naive recomputation: from all calls that were taken in, at this moment, every person anew. What the
 * engine decides to tell must be what the naive way says at that very moment, never the same twice in a row to one user,
 * never anything to a user id a person is not spoken to by; and once nothing is left to do, nothing was missed.
 */

/** The world of one run: what was called, what was told, and the engine. */
class Run {
  readonly world: PeopleWorld;
  now = START;
  /** The log: accepted calls. Those whose position a source has passed were taken in. */
  log: LogEntry[] = [];
  /** All that was accepted since the beginning or the last rebuild, and who was erased when. */
  history: Past[] = [];
  position = 0;
  erasures = 0;
  readonly taken = new Map<string, number>();
  readonly definitions = new Map<string, What>();
  /** Calls of audiences and traits in the log, by messageId, and the last one to each user. */
  readonly sent = new Set<number>();
  readonly told = new Map<string, string>();
  readonly resent = new Set<string>();
  /** Highest outbox id that was looked at. */
  lastDecided = 0;
  status: EngineStatus = {
    outbox: 0,
    nextDue: null,
    working: false,
    rebuilding: false,
    erasing: false,
    reached: [],
    live: false,
  };

  constructor(world: PeopleWorld) {
    this.world = world;
  }

  get rules(): Rules {
    return new Rules([...this.definitions].map(([id, what]) => definitionOf(id, what, START)));
  }

  persons(): NaivePerson[] {
    const taken = this.history.filter(
      (past) => 'erased' in past || past.position <= (this.taken.get(past.sourceId) ?? 0),
    );
    return naivePersons(taken, isServer);
  }

  async step(step: () => Promise<EngineStatus>): Promise<boolean> {
    try {
      this.status = await step();
    } catch (error) {
      expect((error as Error).message).toBe('The commit failed.');
      return false;
    }
    await this.checkDecided();
    return true;
  }

  /** What this step decided to tell is true now. */
  async checkDecided(): Promise<void> {
    const messages = (await this.world.engine.outbox(10_000)).filter(({ id }) => id > this.lastDecided);
    if (messages.length === 0) return;
    const { rules } = this;
    const byUser = new Map(this.persons().map((person) => [person.userId, person]));
    for (const { id, definitionId, userId, value, at } of messages) {
      this.lastDecided = Math.max(this.lastDecided, id);
      const key = `${definitionId} ${userId}`;
      const person = byUser.get(userId);
      expect(person, `${userId} is no person's, or not the id they are spoken to by`).toBeDefined();
      if (!person) continue;
      const rule = rules.get(definitionId) as Rule;
      const wanted = rule.wanted(naiveValues(person, rules, this.now).get(definitionId) ?? null, this.told.get(key));
      expect({ definitionId, userId, value }).toEqual({ definitionId, userId, value: wanted });
      expect(at).toBe(this.now);
      if (!this.resent.has(definitionId)) expect(value, `${key} told twice`).not.toBe(this.told.get(key));
      this.told.set(key, value);
    }
  }

  /** Takes in entries from a position on: those taken before come again, as after a crash. */
  async take(count: number, again: number): Promise<void> {
    const waiting = this.log.filter(({ sourceId, position }) => position > (this.taken.get(sourceId) ?? 0));
    const entries = waiting.slice(0, count);
    const first = entries[0]?.position ?? 0;
    const before = this.log
      .filter((entry) => entry.position < first && !waiting.includes(entry))
      .slice(-again || Infinity);
    const columns = columnsOf([...before, ...entries], isServer);
    const marks = new Map(this.taken);
    for (const { sourceId, position } of entries) this.taken.set(sourceId, position);
    if (!(await this.step(() => this.world.engine.take(columns, this.now)))) {
      this.taken.clear();
      for (const [sourceId, position] of marks) this.taken.set(sourceId, position);
    }
  }

  /** Takes in everything there is, and erases the persons of these ids: from then on it is as if they had not called. */
  async erase(userIds: readonly string[]): Promise<void> {
    const { engine } = this.world;
    const through = [this.position];
    while (this.log.some(({ sourceId, position }) => position > (this.taken.get(sourceId) ?? 0))) await this.take(9, 0);
    const id = `reg_${++this.erasures}`;
    const persons = this.persons();
    const idsOf = (userId: string) => persons.find(({ ids }) => ids.has(userId))?.ids ?? new Set([userId]);
    const waiting = await engine.outbox(10_000);
    if (!(await this.step(() => engine.erase(id, userIds, through, this.now)))) return;
    const erasure = await engine.erasure(id);
    expect(erasure?.ids.map(([first]) => first)).toEqual(userIds);
    expect(erasure?.ids.map((ids) => new Set(ids))).toEqual(userIds.map(idsOf));
    this.history.push({ erased: userIds });
    const gone = new Set(erasure?.ids.flat());
    for (const message of waiting) if (gone.has(message.userId)) this.sent.add(message.id);
    for (const key of this.told.keys()) if (gone.has(key.split(' ')[1] ?? '')) this.told.delete(key);
    this.log = this.log.flatMap((entry) => {
      if (!idsIn(entry.body).some((each) => gone.has(each))) return [entry];
      const { userId: _, anonymousId: __, ...call } = JSON.parse(Buffer.from(entry.body).toString());
      // What was said of a group stays known of it.
      return call.type === 'group' ? [{ ...entry, body: Buffer.from(JSON.stringify(call)) }] : [];
    });
  }

  async sweep(): Promise<void> {
    if (!this.status.erasing) return;
    for (let i = 1; i <= this.erasures; i++) {
      const id = `reg_${i}`;
      if (await this.world.engine.erasure(id)) await this.step(() => this.world.engine.sweep(id, this.now));
    }
    if (!this.status.erasing) expect(await this.world.engine.compact()).toBe(true);
  }

  async scan(): Promise<void> {
    const { engine } = this.world;
    const { reached } = this.status;
    const page = this.log.filter(({ position }) => position > (reached[0] ?? 0)).slice(0, 3);
    if (page.length === 0) await this.step(() => engine.rebuilt(reached, this.now));
    else await this.step(() => engine.take(columnsOf(page, isServer), this.now, reached));
  }

  /** Sends what is in the outbox; a crash may come before the outbox hears of it. */
  async send(limit: number, crash: boolean): Promise<void> {
    const messages = await this.world.engine.outbox(limit);
    for (const { id } of messages) this.sent.add(id);
    if (crash) return this.crash();
    const ids = messages.map(({ id }) => id);
    if (ids.length > 0) await this.step(() => this.world.engine.told(ids, this.now));
  }

  async crash(): Promise<void> {
    await this.world.crash();
    this.status = await this.world.engine.look();
  }

  /** Does everything there is to do. */
  async settle(): Promise<void> {
    for (let i = 0; i < 1_000; i++) {
      const { engine } = this.world;
      if (this.status.erasing) await this.sweep();
      else if (this.status.rebuilding) await this.scan();
      else if (this.log.some(({ sourceId, position }) => position > (this.taken.get(sourceId) ?? 0))) {
        await this.take(100, 0);
      } else if (this.status.nextDue !== null && this.status.nextDue <= this.now) {
        await this.step(() => engine.slide(this.now));
      } else if (this.status.working) await this.step(() => engine.work(this.now));
      else if (this.status.outbox > 0) await this.send(1_000, false);
      else return this.check();
    }
    throw new Error('It never comes to an end.');
  }

  /** Nothing is left to do: everything is as it would be, computed anew. */
  async check(): Promise<void> {
    const { rules } = this;
    const sizes = new Map<string, number>();
    const { store, engine } = this.world;
    for (const person of this.persons()) {
      const values = naiveValues(person, rules, this.now);
      const [identity] = await store.identities([[...person.ids][0] ?? '']);
      const [record] = await readPersons(store, [identity?.person ?? 0], EVERYTHING, 'all', this.now);
      expect(new Set((await store.identitiesOf([record?.person ?? 0])).map(({ id }) => id))).toEqual(person.ids);
      expect(record?.userId).toBe(person.userId);
      expect(record?.who.audiences).toEqual(person.audiences);
      expect(plainTraits(record?.who)).toEqual(plainTraits(person));
      const groups = [...(record?.who.groups.keys() ?? [])];
      expect(await store.traitsOfGroups(groups, MANY)).toEqual(person.groups);
      for (const rule of rules.order) {
        const { id, what } = rule.definition;
        const value = values.get(id) ?? null;
        if (value !== null) sizes.set(id, (sizes.get(id) ?? 0) + 1);
        if ('trait' in what) expect(record?.values.get(id) ?? null).toBe(value);
        if (person.userId === null) continue;
        const told = this.told.get(`${id} ${person.userId}`);
        expect(told).toBe(rule.wanted(value, told));
      }
    }
    expect(await store.persons()).toBe(this.persons().length);
    for (const { id, size, job } of await engine.definitions()) {
      expect(job).toBeNull();
      expect(size).toBe(sizes.get(id) ?? 0);
    }
    // Everything that was decided was sent, and nothing else.
    expect(this.sent.size).toBe(this.lastDecided);
    this.resent.clear();
  }
}

/** Only servers have the key of one of the two sources. */
const isServer = (sourceId: string): boolean => sourceId === 's1';

function idsIn(body: Uint8Array): readonly string[] {
  const call = JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  const ids = [call['userId'], call['anonymousId'], call['Previous ID'], call['User ID']];
  return ids.filter((id) => typeof id === 'string');
}

const EVERYTHING = { traits: 'all', groupTraits: GROUP_IDS, events: [] } as const;
const MANY = { rows: 10_000, characters: 1_000_000 };

function plainTraits(person: Person | undefined): object {
  return Object.fromEntries([...(person?.traits ?? [])].map(([name, { value, at }]) => [name, [value, at]]));
}

/** Ids are never used again: what is made anew under a letter is another definition. */
class Letters {
  readonly #turns = new Map<string, number>();

  id(letter: string): string {
    return `${letter}${this.#turns.get(letter) ?? 0}`;
  }

  renew(letter: string): void {
    this.#turns.set(letter, (this.#turns.get(letter) ?? 0) + 1);
  }

  /** The condition with ids for letters; null where it asks about an audience that is not there, or in a circle. */
  resolve(asker: string, what: What, definitions: ReadonlyMap<string, What>): What | null {
    const text = JSON.stringify(what).replace(
      /"audience":"([A-C])"/g,
      (_, letter) => `"audience":"${this.id(letter)}"`,
    );
    const resolved = JSON.parse(text) as What;
    const asked = compileRule(definitionOf(asker, resolved, START)).mentions.audiences;
    if ([...asked].some((id) => !definitions.has(id))) return null;
    try {
      new Rules([...new Map(definitions).set(asker, resolved)].map(([id, other]) => definitionOf(id, other, START)));
      return resolved;
    } catch {
      return null;
    }
  }
}

async function apply(run: Run, letters: Letters, command: Command): Promise<void> {
  const { engine } = run.world;
  switch (command.do) {
    case 'call':
      for (const { sourceId, age: ms, body: said } of command.calls) {
        const made: TestCall = { sourceId, at: run.now - ms, body: said };
        const entry = entryOf(made, ++run.position);
        run.log.push(entry);
        run.history.push(entry);
      }
      return;
    case 'take':
      if (!run.status.rebuilding) await run.take(command.count, command.again);
      return;
    case 'wait':
      run.now += command.ms;
      return;
    case 'define': {
      const id = letters.id(command.id);
      const what = 'audience' in command ? { audience: command.audience } : { trait: command.trait };
      const resolved = letters.resolve(id, what, run.definitions);
      if (!resolved) return;
      const before = (await engine.definitions()).find((definition) => definition.id === id);
      const definition = { ...(before ?? definitionOf(id, resolved, run.now)), what: resolved };
      const last = run.definitions.get(id);
      run.definitions.set(id, resolved);
      if (await run.step(() => engine.put(definition, true, run.now))) return;
      if (last) run.definitions.set(id, last);
      else run.definitions.delete(id);
      return;
    }
    case 'slide':
      await run.step(() => engine.slide(run.now));
      return;
    case 'work':
      await run.step(() => engine.work(run.now));
      await run.sweep();
      return;
    case 'send':
      return run.send(command.limit, command.crash);
    case 'settle':
      return run.settle();
    case 'crash':
      return run.crash();
    case 'fail':
      run.world.failing = true;
      return;
    case 'sync': {
      const id = letters.id(command.id);
      if (!run.definitions.has(id)) return;
      run.resent.add(id);
      await run.step(() => engine.sync(id, run.now));
      return;
    }
    case 'forget': {
      const id = letters.id(command.id);
      const asked = run.rules.onAudience(id).length > 0;
      if (!run.definitions.has(id) || asked) return;
      // What is on its way goes first: a definition that is forgotten takes its messages along.
      await run.settle();
      if (!(await run.step(() => engine.forget(id, run.now)))) return;
      run.definitions.delete(id);
      letters.renew(command.id);
      return;
    }
    case 'rebuild':
      if (await run.step(() => engine.rebuild(run.now))) {
        run.log = run.log.filter(({ body }) => idsIn(body).length > 0);
        run.history = [...run.log];
        // The scan takes in the whole log, with what lanes have not handed out yet.
        for (const { sourceId, position } of run.log) run.taken.set(sourceId, position);
      }
      return;
    case 'erase':
      if (!run.status.rebuilding) await run.erase([...new Set(command.ids)]);
      return;
    default:
      command satisfies never;
  }
}

/** Does all there is to do, in any order, so many times over: each in a world of its own. */
export async function holdsTheModel(open: () => Promise<PeopleWorld>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(beginning, fc.array(command, { minLength: 20, maxLength: 80 }), async (first, commands) => {
      const world = await open();
      try {
        const run = new Run(world);
        const letters = new Letters();
        for (const each of [...first, ...commands]) await apply(run, letters, each);
        world.failing = false;
        await run.settle();
      } finally {
        await world.close();
      }
    }),
    { numRuns: runs },
  );
}
