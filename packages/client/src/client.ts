import type {
  AliasCall,
  AnyEvents,
  CallType,
  Counts,
  EventMap,
  GroupCall,
  IdentifyCall,
  PageCall,
  TrackCall,
} from './calls.ts';
import { errorOf } from './error.ts';
import { type Options, type Settings, settingsOf } from './options.ts';
import { Outbox } from './outbox.ts';
import { type Runtime, standard } from './runtime.ts';

export type * from './calls.ts';
export type { MillraceError } from './error.ts';
export type { Fetch, Logger, Options } from './options.ts';

/**
 * Sends calls to Millrace: each is checked and queued at once, and delivered in the background. Every message is
 * delivered or reported (`onError`).
 *
 * `Events` names the events there are and their properties; without it every event is allowed.
 */
export class Millrace<Events extends EventMap<Events> = AnyEvents> {
  readonly #outbox: Outbox;
  #closing: Promise<Counts> | null = null;

  /**
   * `runtime` and `makeOutbox` adapt the client to a runtime; an application leaves them out.
   *
   * @throws MillraceError `invalid_option`, naming the option.
   */
  constructor(
    writeKey: string,
    options: Options = {},
    runtime: Runtime = standard,
    makeOutbox = (settings: Settings): Outbox => new Outbox(settings, runtime),
  ) {
    this.#outbox = makeOutbox(settingsOf(writeKey, options, runtime.debug?.() ?? false));
  }

  /** Who a user is. All six calls throw MillraceError `invalid_call`, `call_too_large`, `queue_full` or `closed`. */
  identify(call: IdentifyCall): void {
    this.#add('identify', call);
  }

  /** What a user did. */
  track<Name extends keyof Events & string>(call: TrackCall<Events, Name>): void {
    this.#add('track', call);
  }

  /** Which page a user saw. */
  page(call: PageCall): void {
    this.#add('page', call);
  }

  /** Which screen of an app a user saw. */
  screen(call: PageCall): void {
    this.#add('screen', call);
  }

  /** Which group a user belongs to. */
  group(call: GroupCall): void {
    this.#add('group', call);
  }

  /** That two ids are the same user. */
  alias(call: AliasCall): void {
    this.#add('alias', call);
  }

  /**
   * Sends all queued messages now. Resolves with how many of them were delivered and how many failed. Several flushes may
   * run at once; each counts the messages that were not settled when it began.
   *
   * @throws MillraceError `closed`.
   */
  async flush(): Promise<Counts> {
    this.#mustBeOpen();
    return this.#outbox.flush();
  }

  /** Takes no more calls. Resolves like `flush`. A second call returns the same promise. */
  close(): Promise<Counts> {
    this.#closing ??= this.#outbox.flush().finally(() => this.#outbox.stop());
    return this.#closing;
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #add(type: CallType, call: object): void {
    this.#mustBeOpen();
    this.#outbox.add(type, call);
  }

  #mustBeOpen(): void {
    if (this.#closing) throw errorOf('closed', 'The client is closed.');
  }
}
