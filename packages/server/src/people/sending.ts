import pLimit from 'p-limit';
import type { Message } from './contract.ts';
import type { Engine } from './engine.ts';
import { batchesOf, type OutgoingBatch, type Sender, sendBatch } from './outbox.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface SendingOptions extends Pick<PeopleWorld, 'settings' | 'collect' | 'clock' | 'report'> {
  readonly engine: Pick<Engine, 'outbox' | 'told'>;
  readonly definitions: Engine['definitions'];
  /** Whether nothing may be sent now. */
  readonly isHeld: () => boolean;
  readonly step: Step;
}

/** Messages of one page. */
export const OUTBOX_PAGE = 5_000;
/** Sources whose batches are sent at a time: they share commits, and leave the main loop free in between. */
const SENT_AT_ONCE = 4;

/** Sends the messages of the outbox through the collector, and removes them. */
export class Sending {
  readonly #options: SendingOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  /**
   * Sends a page of the outbox; answers how many messages it had. A message whose definition is gone is dropped.
   *
   * @throws Error when this process does not know a definition's source yet, because another node has just made it: its messages
   * stay.
   */
  page(signal: AbortSignal): Promise<number> {
    const sent = this.#page(signal);
    this.#last = sent;
    return sent;
  }

  /** Resolves when nothing is being sent. Errors are reported by the caller that sent. */
  async over(): Promise<void> {
    await Promise.allSettled([this.#last]);
  }

  async #page(signal: AbortSignal): Promise<number> {
    const { engine, settings, clock, step } = this.#options;
    const messages = await engine.outbox(OUTBOX_PAGE);
    // Read after the messages: each definition existed before its messages.
    const living = await this.#options.definitions();
    const definitions = new Map(living.map((definition) => [definition.id, definition]));
    const senderOf = (id: string): Sender | undefined => {
      const definition = definitions.get(id);
      const source = definition && settings.source(definition.sourceId);
      return source && { source, key: definition.key };
    };
    const done = messages.filter(({ definitionId }) => !definitions.has(definitionId));
    const bySource = batchesOf(messages, senderOf);
    const inTurn = pLimit(SENT_AT_ONCE);
    const ends = await Promise.allSettled(
      bySource.map((batches) => inTurn(() => this.#sendInOrder(batches, done, signal))),
    );
    // All at once: each call is a transaction.
    const ids = done.map(({ id }) => id);
    if (ids.length > 0) await step(engine.told(ids, clock.now()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const waits = messages.find(({ definitionId }) => definitions.has(definitionId) && !senderOf(definitionId));
    if (waits) throw new Error(`The source of ${waits.definitionId} is not known yet.`);
    return messages.length;
  }

  /** Adds the messages that the log has taken to `sent`. */
  async #sendInOrder(batches: readonly OutgoingBatch[], sent: Message[], signal: AbortSignal): Promise<void> {
    const { collect, isHeld, report } = this.#options;
    for (const batch of batches) {
      if (signal.aborted || isHeld()) return;
      for (const { code, message } of await sendBatch(collect, batch)) {
        report(new Error(`${code}: ${message}`), `a call of ${batch.sender.source.name} was refused`);
      }
      sent.push(...batch.messages);
    }
  }
}
