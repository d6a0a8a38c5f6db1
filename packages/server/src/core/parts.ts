import type { Service } from './service.ts';

/** What a process has opened, each under a name for people, to be closed in reverse. */
export class Parts {
  readonly #opened: { readonly name: string; readonly close: () => Promise<void> }[] = [];
  #closing = '';

  /** What the close waits for; empty before it. */
  get closing(): string {
    return this.#closing;
  }

  opened(name: string, close: () => Promise<void>): void {
    this.#opened.push({ name, close });
  }

  /** Starts a service, which is stopped also where its start failed. */
  async begin(name: string, service: Service): Promise<void> {
    this.opened(name, () => service.stop());
    await service.start();
  }

  /** @throws Error naming each part that could not be closed; the others are. */
  async close(): Promise<void> {
    const failed: string[] = [];
    for (let part = this.#opened.pop(); part; part = this.#opened.pop()) {
      const { name, close } = part;
      this.#closing = name;
      await close().catch((error: unknown) => {
        failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      });
    }
    if (failed.length > 0) throw new Error(failed.join('; '));
  }
}
