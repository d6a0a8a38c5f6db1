import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withCurrent } from '../../../../../test/current.ts';
import { HandClock } from '../../../../../test/hand-clock.ts';
import type { AccountWorld } from '../../accounts/conformance.ts';
import type { AlertWorld } from '../../alerts/conformance.ts';
import type { LogWorld } from '../../log/conformance.ts';
import { type RecordWorld, resultOf } from '../../record/conformance.ts';
import type { RejectionStore, Retention, StatsStore } from '../../record/contract.ts';
import type { ErasureWorld } from '../../regulations/conformance.ts';
import type { SettingsWorld } from '../../settings/conformance.ts';
import type { Sql, Statement } from '../relational/sql.ts';
import { SQLITE } from './sql.ts';
import { type BoundStatement, bound } from './statements.ts';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './store.ts';

/** The store in a temporary folder, with a clock that a test moves. */
export interface SqliteWorld extends LogWorld, RecordWorld, SettingsWorld, AccountWorld, AlertWorld, ErasureWorld {
  readonly store: SqliteStore;
  readonly stats: StatsStore;
  readonly rejections: RejectionStore;
  readonly retention: Retention;
  readonly clock: HandClock;
  readonly dataDir: string;
  advance(ms: number): void;
  crash(): Promise<void>;
  /** Closes the store and keeps the files. `start` opens them again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Limits so small that most tests reach them: runs get sealed, and entries leave memory. */
export const SMALL: Partial<SqliteStoreOptions> = { runSize: 16, tailBytes: 8_000 };

export async function openWorld(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteWorld> {
  const folders: string[] = [];
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-store-'));
    folders.push(folder);
    return folder;
  };
  const clock = new HandClock();
  let dataDir = options.dataDir ?? newFolder();
  const open = (): Promise<SqliteStore> => openSqliteStore({ clock, ...options, dataDir });
  let store: SqliteStore | null = await open();
  const current = (): SqliteStore => {
    if (!store) throw new Error('The store is stopped.');
    return store;
  };
  const stop = async (): Promise<void> => {
    const last = store;
    store = null;
    await last?.close();
  };
  const names = [
    'log',
    'deliveries',
    'stats',
    'rejections',
    'settings',
    'alerts',
    'accounts',
    'regulations',
    'erasure',
    'retention',
  ] as const;
  const world: SqliteWorld = withCurrent(current, names, {
    clock,
    get dataDir() {
      return dataDir;
    },
    get store() {
      return current();
    },
    settle: (lane, entries) => current().deliveries.settle(entries.map((entry) => resultOf(lane, entry))),
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    stop,
    async start() {
      store = await open();
    },
    async reopen() {
      await stop();
      store = await open();
    },
    async crash() {
      // Copies the files as they are at this moment: a killed process would leave the same.
      const left = newFolder();
      cpSync(dataDir, left, { recursive: true });
      await stop();
      dataDir = left;
      store = await open();
    },
    async close() {
      await stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  });
  return world;
}

/** Runs statements on a file that this thread has open. */
export function sqlOn(run: (statement: BoundStatement) => object[]): Sql {
  return {
    dialect: SQLITE,
    read: async <Row extends object>(statement: Statement) => run(bound(statement)) as Row[],
    write: async (statements) => statements.map((statement) => run(bound(statement))),
  };
}
