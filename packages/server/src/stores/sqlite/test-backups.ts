import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { removeFolder, temporaryFolder } from '../../../../../test/system/kit/leaks.ts';
import type { Backup } from '../../backup/contract.ts';
import type { Lane } from '../../core/lane.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { type Restored, restoreBackup } from './restore.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

export const HOUR: number = 60 * 60 * 1000;

/** A store that makes backups, with one lane. Each test of a file gets a new one. */
export class BackupWorld {
  /** Files for one test. It contains the directory for backups. */
  folder = '';
  directory = '';
  #world: SqliteWorld | null = null;
  #lane: Lane | null = null;
  #ended: (backup: Backup) => void = () => undefined;

  constructor() {
    beforeEach(async () => {
      this.folder = temporaryFolder();
      this.directory = join(this.folder, 'backups');
      this.#world = await this.open();
      this.#lane = await this.world.log.openLane('s', 'd');
    });
    afterEach(async () => {
      await this.world.close();
      removeFolder(this.folder);
    });
  }

  get world(): SqliteWorld {
    if (!this.#world) throw new Error('There is a world in a test only');
    return this.#world;
  }

  get lane(): Lane {
    if (!this.#lane) throw new Error('There is a lane in a test only');
    return this.#lane;
  }

  open(dataDir?: string): Promise<SqliteWorld> {
    const onBackup = (backup: Backup): void => this.#ended(backup);
    const options = { ...SMALL, partitionLength: HOUR, backupDir: this.directory, onBackup };
    return openWorld(dataDir === undefined ? options : { ...options, dataDir });
  }

  /** Opens the store again with another directory for backups. */
  async moveTo(directory: string): Promise<void> {
    await this.world.close();
    this.directory = directory;
    this.#world = await this.open();
  }

  async append(prefix: string, count: number): Promise<void> {
    const receivedAt = this.world.now();
    await this.world.log.append(
      Array.from({ length: count }, (_, i) => sampleEvent('s', `${prefix}${i}`, { receivedAt })),
    );
  }

  /** Resolves when the backup is complete or has failed. Rejects if it can't begin. */
  async backUp(keep: number | null = null): Promise<Backup> {
    const end = Promise.withResolvers<Backup>();
    this.#ended = end.resolve;
    await this.world.store.backups.begin(keep);
    return end.promise;
  }

  pathOf({ id }: Backup): string {
    return join(this.directory, id);
  }

  restore(backup: Backup, dataDir: string = join(this.folder, 'restored'), replace = false): Promise<Restored> {
    const { signal } = new AbortController();
    const ground = { backup: this.pathOf(backup), dataDir, replace, now: Date.now(), signal };
    return restoreBackup({ ...ground, progress: () => undefined });
  }
}

export function partitionsIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => /^events-.*\.db$/.test(name))
    .sort();
}
