import type { Client } from 'pg';
import { openSession } from './database.ts';

export interface ListenerOptions {
  readonly url: string;
  /** A connection was lost or could not be made; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** From a lost connection to the next try, milliseconds. */
const PAUSE_MS = 500;

/** How often a connection is asked whether it still is one, milliseconds. */
const CHECK_MS = 5_000;

/**
 * Hears what other nodes tell, on a connection of its own that is made again when it breaks. What was told meanwhile is
 * lost, so each channel is called once whenever a connection stands.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<() => void>>();
  #client: Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #connecting: Promise<void> | null = null;
  #closed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Calls `heard` for each message, and after a connection was made; the answer ends that. */
  listen(channel: string, heard: () => void): () => void {
    const heards = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, heards.add(heard));
    if (this.#client) this.#subscribe(this.#client, channel).catch(() => this.#lost(this.#client));
    else this.#connecting ??= this.#connect();
    return () => heards.delete(heard);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting;
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    try {
      const client = await openSession(this.#options.url);
      client.on('notification', ({ channel }) => this.#tell(channel));
      client.on('end', () => this.#lost(client));
      this.#client = client;
      for (const channel of this.#channels.keys()) await this.#subscribe(client, channel);
      this.#later(CHECK_MS, () => this.#check(client));
    } catch (error) {
      this.#options.failed(error);
      this.#again();
    } finally {
      this.#connecting = null;
    }
  }

  /** Listening comes first: what changes after the call that follows it is told. */
  async #subscribe(client: Client, channel: string): Promise<void> {
    await client.query(`LISTEN ${channel}`);
    this.#tell(channel);
  }

  async #check(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
      this.#later(CHECK_MS, () => this.#check(client));
    } catch (error) {
      this.#options.failed(error);
      this.#lost(client);
    }
  }

  #lost(client: Client | null): void {
    if (client === null || this.#client !== client) return;
    client.end().catch(() => undefined);
    this.#again();
  }

  #again(): void {
    this.#client = null;
    this.#later(PAUSE_MS, async () => {
      this.#connecting ??= this.#connect();
      await this.#connecting;
    });
  }

  /** One thing at a time is planned: the next check, or the next try. */
  #later(ms: number, run: () => Promise<void>): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void run(), ms);
    this.#timer.unref();
  }

  #tell(channel: string): void {
    for (const heard of this.#channels.get(channel) ?? []) heard();
  }
}
