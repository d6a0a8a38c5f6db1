import type { CallType } from '../calls.ts';
import { type Arguments, aliasArguments, identityArguments, pageArguments, trackArguments } from './arguments.ts';
import { type Event, eventOf } from './event.ts';
import type { IdentityStore } from './identity-store.ts';
import { takePage } from './page-context.ts';
import type { Sender } from './sender.ts';
import { Identity, User } from './user.ts';

/** The result of each call method, and the argument of its callback, once the call is queued. */
export interface Queued {
  readonly event: Event;
}

export type Middleware = (handed: {
  readonly payload: { obj: Event };
  readonly integrations: object;
  /** Hands the call on; null drops it. */
  next(payload: { obj: Event } | null): void;
}) => unknown;

type Listener = (...args: unknown[]) => unknown;

/** The browser's interface of Segment's library, in front of the client. No method throws: it writes a warning to the console. */
export class Analytics {
  readonly initialized = true;
  readonly #queue: Sender | null;
  readonly #user: User;
  readonly #group: Identity;
  readonly #warn: (line: string) => void;
  readonly #middleware: Middleware[] = [];
  readonly #listeners = new Map<string, Listener[]>();

  /** With `queue` null, no call is sent. */
  constructor(queue: Sender | null, store: IdentityStore, warn: (line: string) => void) {
    this.#queue = queue;
    // Before the user, whose anonymous id says which of the group's values another host has removed.
    this.#group = new Identity(store, 'ajs_group_id', 'ajs_group_properties');
    this.#user = new User(store);
    this.#warn = warn;
    // Pages call methods without the object (`const { track } = analytics`).
    const self = this as unknown as Record<string, Listener>;
    for (const name of Object.getOwnPropertyNames(Analytics.prototype)) self[name] = self[name]?.bind(this) as Listener;
  }

  identify(...args: unknown[]): Promise<Queued> {
    return this.#send('identify', args, () => identified(this.#user, 'userId', args));
  }

  track(...args: unknown[]): Promise<Queued> {
    return this.#send('track', args, trackArguments);
  }

  page(...args: unknown[]): Promise<Queued> {
    return this.#send('page', args, pageArguments);
  }

  screen(...args: unknown[]): Promise<Queued> {
    return this.#send('screen', args, pageArguments);
  }

  /** Without arguments: returns the group's identity. */
  group(...args: unknown[]): Identity | Promise<Queued> {
    if (args.length === 0) return this.#group;
    return this.#send('group', args, () => identified(this.#group, 'groupId', args));
  }

  /** Without a `from` argument, the previous id is the anonymous id. */
  alias(...args: unknown[]): Promise<Queued> {
    return this.#send('alias', args, () => aliasArguments(args, this.#user.anonymousId()));
  }

  user(): User {
    return this.#user;
  }

  setAnonymousId(id?: string): string {
    return this.#user.anonymousId(id);
  }

  reset(): void {
    this.#user.reset();
    this.#group.reset();
    this.emit('reset');
  }

  async ready(callback?: unknown): Promise<void> {
    await null;
    if (typeof callback === 'function') callback();
  }

  pageview(url: string): Promise<Queued> {
    return this.page({ path: url });
  }

  on(name: string, listener: Listener): this {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  once(name: string, listener: Listener): this {
    const first: Listener = (...args) => {
      this.off(name, first);
      listener(...args);
    };
    return this.on(name, first);
  }

  off(name: string, listener: Listener): this {
    this.#listeners.set(name, this.#listeners.get(name)?.filter((one) => one !== listener) ?? []);
    return this;
  }

  emit(name: string, ...args: unknown[]): this {
    for (const listener of this.#listeners.get(name) ?? []) this.#guard(name, () => listener(...args));
    return this;
  }

  /** Adds a middleware. Middlewares see every call before it is sent, in the order of adding, and may change or drop it. */
  addSourceMiddleware(middleware: Middleware): void {
    if (typeof middleware === 'function') this.#middleware.push(middleware);
    else this.#warn('addSourceMiddleware needs a function');
  }

  /** Calls a method by its name, as the snippet queues it. If it throws, only this promise rejects: the other calls are still made. */
  async push([method, ...args]: readonly [string, ...unknown[]]): Promise<void> {
    await (this as unknown as Record<string, Listener>)[method]?.(...args);
  }

  /** Queues the call before the method returns: if the page ends right after, the call is not lost. */
  async #send(type: CallType, args: unknown[], read: (args: unknown[]) => Arguments): Promise<Queued> {
    const page = takePage(args);
    const { options, ...own } = read(args);
    const event = eventOf(type, own, options, this.#user, page);
    this.#pass(event, 0);
    this.emit(type, ...Object.values(own), options);
    await null;
    const callback = args.find((arg) => typeof arg === 'function') as Listener | undefined;
    callback?.({ event });
    return { event };
  }

  #pass(event: Event, place: number): void {
    const middleware = this.#middleware[place];
    const next = (payload: { obj: Event } | null): void => {
      if (payload) this.#pass(payload.obj, place + 1);
    };
    this.#guard('not sent', () => {
      if (middleware) middleware({ payload: { obj: event }, integrations: {}, next });
      else this.#add(event);
    });
  }

  #guard(what: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#warn(`${what}: ${error}`);
    }
  }

  #add({ type, properties, ...call }: Event): void {
    const field = type === 'page' || type === 'screen' ? 'traits' : 'properties';
    this.#queue?.add(type, { ...call, ...(properties && { [field]: properties }) });
  }
}

/** Stores the id and the traits. The call carries all stored traits, not only the given ones. */
function identified(identity: Identity, key: string, args: readonly unknown[]): Arguments {
  const { id, traits, options } = identityArguments(args);
  identity.identify(id, traits);
  return { [key]: identity.id(), traits: { ...identity.traits(), ...traits }, options };
}
