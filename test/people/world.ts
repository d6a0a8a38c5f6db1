import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry } from '../../packages/server/src/core/event.ts';
import { pageOf } from '../../packages/server/src/log/entry-page.ts';
import type { Definition, ProfileStore } from '../../packages/server/src/people/contract.ts';
import { Engine } from '../../packages/server/src/people/engine.ts';
import { type EntryColumns, packEntries } from '../../packages/server/src/people/entries.ts';
import { openProfileStore } from '../../packages/server/src/stores/sqlite/profile-store.ts';

export const HOUR = 3_600_000;
export const DAY: number = 24 * HOUR;

/** When a test begins. */
export const START = 1_800_000_000_000;

export type What = Definition['what'];

/** What a test says in a call; times in milliseconds since the epoch. */
export interface TestCall {
  readonly sourceId: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A call as the log would hand it out. */
export function entryOf({ sourceId, at, body }: TestCall, position: number): LogEntry {
  const messageId = `m${position}`;
  const message = { version: 1, ...body, timestamp: new Date(at).toISOString(), context: {}, messageId };
  return {
    ...{ position, sourceId, messageId, type: 'track', name: null, userId: null, receivedAt: at, timestamp: at },
    ...{ integrations: null, unsent: null, body: Buffer.from(JSON.stringify(message)) },
  };
}

/** Entries as the engine takes them. */
export function columnsOf(entries: readonly LogEntry[], isServer: (sourceId: string) => boolean): EntryColumns {
  return packEntries(pageOf(entries), isServer);
}

export function definitionOf(id: string, what: What, now: number): Definition {
  return {
    ...{ id, what, name: id, key: id, sourceId: `src_${id}`, createdAt: now, updatedAt: now },
    ...{ job: null, size: 0, sentAt: null },
  };
}

/** Where the profiles of a test are. */
export interface ProfilePlace {
  open(): Promise<ProfileStore>;
  /** Opens what a process that is killed now leaves; the store of that process is closed afterwards. */
  afterCrash(): Promise<ProfileStore>;
  /** When all stores are closed. */
  remove(): Promise<void>;
}

/** A profile store, in a temporary folder where no other place is named, and engines on it. */
export class PeopleWorld {
  readonly #place: ProfilePlace;
  readonly #page: number;
  store: ProfileStore;
  engine: Engine;
  /** The commit of the next transaction fails. */
  failing = false;

  private constructor(store: ProfileStore, page: number, place: ProfilePlace) {
    this.#place = place;
    this.#page = page;
    this.store = store;
    this.engine = this.#newEngine();
  }

  /** `page`: how much an engine does in one step. */
  static async open(page = 1_000, place: ProfilePlace = temporaryFolder()): Promise<PeopleWorld> {
    const world = new PeopleWorld(await place.open(), page, place);
    await world.engine.look();
    return world;
  }

  async crash(): Promise<void> {
    const left = this.store;
    this.store = await this.#place.afterCrash();
    await left.close();
    this.engine = this.#newEngine();
    await this.engine.look();
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.#place.remove();
  }

  #newEngine(): Engine {
    const transaction: ProfileStore['transaction'] = (work) => {
      return this.store.transaction(async (writer, changed) => {
        const result = await work(writer, changed);
        if (!this.failing) return result;
        this.failing = false;
        throw new Error('The commit failed.');
      });
    };
    const store = new Proxy(this.store, {
      get: (target, name) => {
        if (name === 'transaction') return transaction;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return new Engine(store, this.#page);
  }
}

function temporaryFolder(): ProfilePlace {
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-people-'));
    folders.push(folder);
    return folder;
  };
  return {
    open: async () => openProfileStore(newFolder()),
    async afterCrash() {
      // What a killed process leaves is what its files hold at that moment.
      const last = folders.at(-1) ?? '';
      const folder = newFolder();
      cpSync(last, folder, { recursive: true });
      return openProfileStore(folder);
    },
    async remove() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
