import type { Service } from './service.ts';

/** What a process has opened, in the order of opening. Each part has a name for people; `close` closes them in reverse. */
export class Parts {
  readonly #opened: { readonly name: string; readonly close: () => Promise<void> }[] = [];
  #closing = '';

  /** Name of the part that is being closed; empty before the close. */
  get closing(): string {
    return this.#closing;
  }

  opened(name: string, close: () => Promise<void>): void {
    this.#opened.push({ name, close });
  }

  /** Starts a service. Its stop is registered even where the start fails. */
  async begin(name: string, service: Service): Promise<void> {
    this.opened(name, () => service.stop());
    await service.start();
  }

  /** @throws Error naming each part that could not be closed; the others are closed. */
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
