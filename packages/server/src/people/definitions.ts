import pLimit from 'p-limit';
import type { DefinitionError } from '../core/definition-form.ts';
import { Fault } from '../core/fault.ts';
import { type Changed, changedMeanwhile, type Expects, revisionOf } from '../core/revision.ts';
import type { Source } from '../core/source.ts';
import { checkCondition, checkTrait } from './check-definition.ts';
import type { Definition } from './contract.ts';
import { evaluationOrder } from './cycles.ts';
import type { Condition, TraitDefinition } from './definition.ts';
import type { Engine } from './engine.ts';
import { keyTrouble, traitKey } from './key.ts';
import { askersOf, leaves } from './mentions.ts';
import type { PeopleWorld } from './world.ts';

/** How often a change is tried while other processes are faster. */
const MOST_TRIES = 5;

export type DefinitionKind = 'audience' | 'trait';

/** What people say of an audience or a trait when they make one. */
export interface NewDefinition {
  readonly name: string;
  /** Made of the name when absent. */
  readonly key?: string | undefined;
  /** A Condition or a TraitDefinition, unchecked. */
  readonly definition: unknown;
  /** Destinations its calls go to; none when absent. */
  readonly destinationIds?: readonly string[] | undefined;
}

/** What of it can be changed later; the key can't. */
export interface DefinitionChange {
  readonly name?: string | undefined;
  readonly definition?: unknown;
  readonly destinationIds?: readonly string[] | undefined;
}

/** A definition that was refused, with everything that is wrong in it. */
export class RefusedDefinition extends Fault {
  readonly errors: readonly DefinitionError[];

  constructor(errors: readonly DefinitionError[]) {
    super('invalid_input', errors.map(({ path, message }) => `${path}: ${message}`).join('; '));
    this.errors = errors;
  }
}

interface Connection {
  readonly id: string;
  readonly isWanted: boolean;
}

interface DefinitionsOptions extends Pick<PeopleWorld, 'settings' | 'newId' | 'newWriteKey' | 'gracePeriod' | 'clock'> {
  readonly engine: Pick<Engine, 'definitions' | 'put' | 'forget' | 'sync'>;
}

/** Audiences and computed traits, each with the source it sends under. One change at a time. */
export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #change = pLimit(1);

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** All of a kind, or all; oldest first. */
  async list(kind?: DefinitionKind): Promise<readonly Definition[]> {
    const definitions = await this.#options.engine.definitions();
    return kind === undefined ? definitions : definitions.filter(({ what }) => kind in what);
  }

  /** @throws Fault `not_found` */
  async get(kind: DefinitionKind, id: string): Promise<Definition> {
    const definition = (await this.list(kind)).find((candidate) => candidate.id === id);
    if (!definition) throw new Fault('not_found', `There is no ${kind} ${id}.`);
    return definition;
  }

  /** Of what is set of it: of the definition itself, and of the destinations that its source is connected to. */
  revision(definition: Definition): number {
    const source = this.#options.settings.source(definition.sourceId);
    return revisionOf(definition) + (source ? revisionOf(source) - 1 : 0);
  }

  /** The definition as one that is not made yet. @throws RefusedDefinition with everything that is wrong in it. */
  async check(kind: DefinitionKind, definition: unknown): Promise<Definition['what']> {
    const errors: DefinitionError[] = [];
    const what = check(kind, '', definition, await this.list(), errors);
    if (!what) throw new RefusedDefinition(errors);
    return what;
  }

  /** @throws RefusedDefinition with everything that is wrong, or Fault `storage_unavailable`. */
  create(kind: DefinitionKind, input: NewDefinition): Promise<Definition> {
    return this.#change(async () => {
      const { settings, clock, newId, newWriteKey, gracePeriod } = this.#options;
      const others = await this.list();
      const errors: DefinitionError[] = [];
      const key = input.key ?? traitKey(input.name) ?? '';
      const trouble = keyTrouble(key);
      if (trouble !== null) errors.push({ path: 'key', message: trouble });
      errors.push(...takenKey(key, others));
      const id = newId(kind === 'audience' ? 'aud' : 'trt');
      const what = check(kind, id, input.definition, others, errors);
      const destinationIds = input.destinationIds ?? [];
      errors.push(...this.#unknownDestinations(destinationIds));
      if (!what || errors.length > 0) throw new RefusedDefinition(errors);
      const now = clock.now();
      const definition: Definition = {
        ...{ id, what, name: input.name, key, sourceId: newId('src'), createdAt: now, updatedAt: now },
        ...{ job: null, size: 0, sentAt: null },
      };
      await settings.putSource(sourceOf(definition, newWriteKey()));
      try {
        // A destination that is connected from the beginning misses none of the first calls.
        await this.#connect(definition.sourceId, this.#connections(definition.sourceId, destinationIds));
        if (gracePeriod > 0 && clock.now() - now > gracePeriod / 2) throw tooLate();
        await this.#put(kind, definition, true, now);
      } catch (error) {
        // Of anything else it is not known whether the definition is there: the next leader sees to it.
        if (error instanceof RefusedDefinition) await settings.deleteSource(definition.sourceId);
        throw error;
      }
      return this.get(kind, id);
    });
  }

  /**
   * Changes the name, the destinations or the definition; after a change of the latter each person is evaluated again, and
   * only differences are sent. Destinations are connected first: they miss none of these calls. So a crash in between leaves
   * the new destinations with the former name and definition.
   *
   * @throws RefusedDefinition, or Fault `not_found`, or `changed_meanwhile` when its revision is not an expected one.
   */
  update(kind: DefinitionKind, id: string, change: DefinitionChange, expects?: Expects): Promise<Changed<Definition>> {
    let expected = expects;
    const once = async (): Promise<Changed<Definition>> => {
      const { settings, clock } = this.#options;
      const before = await this.#expected(kind, id, expected);
      const connections = this.#connections(before.sourceId, change.destinationIds);
      const errors: DefinitionError[] = [];
      const others = (await this.list()).filter((other) => other.id !== id);
      const what = change.definition === undefined ? before.what : check(kind, id, change.definition, others, errors);
      errors.push(...this.#unknownDestinations(change.destinationIds ?? []));
      if (!what || errors.length > 0) throw new RefusedDefinition(errors);
      const now = clock.now();
      const compute = JSON.stringify(what) !== JSON.stringify(before.what);
      const { name = before.name } = change;
      let next = { ...before, updatedAt: now };
      const put = async (computes: boolean): Promise<void> => {
        const replaces = revisionOf(next);
        next = { ...next, revision: replaces + 1 };
        await this.#put(kind, next, computes, now, replaces);
      };
      if (connections.length > 0) {
        // Only one of the processes that expect this revision gets the next one. It then makes its whole change, also if another change follows.
        await put(false);
        expected = undefined;
        await this.#connect(before.sourceId, connections);
      }
      if (compute || name !== before.name) {
        next = { ...next, name, what };
        await put(compute);
        if (settings.source(before.sourceId))
          await settings.changeSource(before.sourceId, (source) => ({ ...source, name }));
      }
      return { before, after: await this.get(kind, id) };
    };
    // Another process was faster: where nothing is expected, this follows.
    const follow = (tries: number): Promise<Changed<Definition>> =>
      once().catch((error: unknown) => {
        const isLate = error instanceof Fault && error.code === 'changed_meanwhile';
        if (expected === undefined && isLate && tries > 1) return follow(tries - 1);
        throw error;
      });
    return this.#change(() => follow(MOST_TRIES));
  }

  /**
   * Removes it with its source. Destinations are not told that its members left.
   *
   * @throws Fault `not_found`, `conflict` where other audiences ask about this one, or `changed_meanwhile`.
   */
  delete(kind: DefinitionKind, id: string, expects?: Expects): Promise<void> {
    return this.#change(async () => {
      const { engine, settings, clock } = this.#options;
      const before = await this.#expected(kind, id, expects);
      const { sourceId } = before;
      const replaces = expects && revisionOf(before);
      await engine.forget(id, clock.now(), replaces).catch(async (error: unknown) => {
        const now = revisionOf(await this.get(kind, id));
        throw replaces === undefined || now === replaces ? error : changedMeanwhile(`${kind} ${id}`);
      });
      const left = await this.list();
      if (left.some((other) => other.id === id)) {
        const names = askersOf(id, left).map(({ name }) => `"${name}"`);
        if (names.length === 0) throw changedMeanwhile(`${kind} ${id}`);
        const message = `The audience is part of the definition of ${names.join(', ')}; change that first.`;
        throw new Fault('conflict', message);
      }
      await settings.deleteSource(sourceId);
    });
  }

  /**
   * Tells every member again.
   *
   * @throws Fault `not_found`, or `conflict` while the definition is being computed or synced.
   */
  sync(kind: DefinitionKind, id: string): Promise<Definition> {
    return this.#change(async () => {
      const { engine, clock } = this.#options;
      const { job } = await this.get(kind, id);
      // During a rebuild nothing was begun.
      const { rebuilding } = job ? { rebuilding: false } : await engine.sync(id, clock.now());
      if (job || rebuilding) throw new Fault('conflict', `The ${kind} is being worked on; sync it when that is done.`);
      return this.get(kind, id);
    });
  }

  #unknownDestinations(ids: readonly string[]): DefinitionError[] {
    const known = new Set(this.#options.settings.destinations().map(({ id }) => id));
    return ids.flatMap((id, i) =>
      known.has(id) ? [] : [{ path: `destinationIds.${i}`, message: `there is no destination "${id}"` }],
    );
  }

  async #expected(kind: DefinitionKind, id: string, expects: Expects | undefined): Promise<Definition> {
    const definition = await this.get(kind, id);
    if (expects && !expects(this.revision(definition))) throw changedMeanwhile(`${kind} ${id}`);
    return definition;
  }

  /** Destinations to connect or to disconnect, for a source to be connected to these and to no others; none without a wish. */
  #connections(sourceId: string, wanted?: readonly string[]): readonly Connection[] {
    if (!wanted) return [];
    return this.#options.settings.destinations().flatMap(({ id, sourceIds }) => {
      const isWanted = wanted.includes(id);
      return isWanted === sourceIds.includes(sourceId) ? [] : [{ id, isWanted }];
    });
  }

  async #connect(sourceId: string, connections: readonly Connection[]): Promise<void> {
    const { settings, clock } = this.#options;
    const updatedAt = new Date(clock.now()).toISOString();
    for (const { id, isWanted } of connections) {
      await settings.changeDestination(id, (destination) => {
        const others = destination.sourceIds.filter((other) => other !== sourceId);
        return { ...destination, updatedAt, sourceIds: isWanted ? [...others, sourceId] : others };
      });
    }
  }

  /** What another process has changed since the check may make the engine refuse it: then that is what is wrong with it. */
  async #put(
    kind: DefinitionKind,
    definition: Definition,
    compute: boolean,
    now: number,
    replaces?: number,
  ): Promise<void> {
    try {
      await this.#options.engine.put(definition, compute, now, replaces);
    } catch (error) {
      const { id, key, what } = definition;
      const all = await this.list();
      const kept = all.find((other) => other.id === id);
      if (replaces !== undefined && (!kept || revisionOf(kept) !== replaces)) throw changedMeanwhile(`${kind} ${id}`);
      const others = all.filter((other) => other.id !== id);
      const errors = [...takenKey(key, others)];
      check(kind, id, 'audience' in what ? what.audience : what.trait, others, errors);
      throw errors.length > 0 ? new RefusedDefinition(errors) : error;
    }
  }
}

/** The source that a definition sends under. */
export function sourceOf({ id, name, sourceId, createdAt }: Definition, writeKey: string): Source {
  return {
    id: sourceId,
    name,
    type: 'server',
    writeKey,
    enabled: true,
    createdAt: new Date(createdAt).toISOString(),
    oldKey: null,
    sentBy: id,
  };
}

function takenKey(key: string, others: readonly Definition[]): readonly DefinitionError[] {
  if (!others.some((other) => other.key === key)) return [];
  return [{ path: 'key', message: `"${key}" is the key of another audience or trait; choose one of its own` }];
}

/** The leader may take its source for one that is not needed; see source-repair.ts. */
function tooLate(): Fault {
  return new Fault('storage_unavailable', 'The storage was too slow to make it; try again.', { retryAfter: 5 });
}

function check(
  kind: DefinitionKind,
  id: string,
  input: unknown,
  others: readonly Definition[],
  errors: DefinitionError[],
): Definition['what'] | null {
  const checked = kind === 'audience' ? checkCondition(input) : checkTrait(input);
  if ('errors' in checked) {
    for (const { path, message } of checked.errors) {
      errors.push({ path: path === '' ? 'definition' : `definition.${path}`, message });
    }
    return null;
  }
  if (kind === 'trait') return { trait: checked.value as TraitDefinition };
  const condition = checked.value as Condition;
  const conditions = new Map([[id, condition]]);
  for (const other of others) if ('audience' in other.what) conditions.set(other.id, other.what.audience);
  const asked = leaves(condition, 'definition').flatMap(([path, leaf]) =>
    'audience' in leaf ? [[`${path}.audience`, leaf.audience] as const] : [],
  );
  for (const [path, other] of asked) {
    if (!conditions.has(other)) errors.push({ path, message: `there is no audience "${other}"` });
  }
  const found = evaluationOrder(conditions);
  if ('circle' in found) {
    const names = found.circle.map((other) => others.find((candidate) => candidate.id === other)?.name ?? 'this one');
    const [path] = asked.find(([, other]) => found.circle.includes(other)) ?? ['definition'];
    errors.push({ path, message: `audiences may not ask about each other in a circle: ${names.join(' → ')}` });
  }
  return errors.length > 0 ? null : { audience: condition };
}
