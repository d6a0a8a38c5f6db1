import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Fault } from '../core/fault.ts';
import { handedOver } from '../core/handed-over.ts';
import { releaseWhenQuiet } from './quiet.ts';

/** An object on another thread, as it is used from here: a method answers a promise, a public field that is an object is one of these. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : T[K] extends object
      ? Remote<T[K]>
      : never;
};

interface Request {
  readonly id: number;
  /** The fields that lead to the method, and its name. */
  readonly path: readonly string[];
  readonly args: readonly unknown[];
}

type Response =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } }
  /** A call could not be read: which one can't be known. */
  | { readonly unreadable: true }
  /** An expected refusal, which is one here too. */
  | { readonly id: number; readonly fault: Pick<Fault, 'code' | 'message' | 'retryAfter'> };

/**
 * A thread that owns one object and runs its methods one after the other, in the order they were called. What a method
 * that answers a promise does after its first wait may run beside the next. A Fault that a method throws is one here too. A message that can't be read, because it is nested
 * too deeply, rejects all calls that wait: which one it belonged to can't be known.
 */
export class Thread<T> {
  /** What is handed over with an argument or an answer (core/handed-over.ts) is moved instead of copied. */
  readonly remote: Remote<T> = this.#remote([]) as Remote<T>;
  readonly #begin: () => Worker;
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #exited = Promise.withResolvers<void>();
  #lastId = 0;
  #dead: Error | null = null;

  /**
   * `entry` is the file that serves the object; it begins with the first call, and what `data` answers then. `memory` is how
   * much it may hold, megabytes: with more it dies. Default: as much as the process may.
   */
  constructor(role: string, data: () => unknown, entry: URL, memory?: number) {
    const ended = new Error(`The ${role} thread has ended.`);
    const unreadable = (): void => this.#reject(new Error(`A message from or to the ${role} thread is unreadable.`));
    this.#begin = () => {
      const worker = new Worker(entry, {
        workerData: { role, data: data() },
        name: role,
        // Messages die young: a larger nursery would only be memory that is seldom swept.
        resourceLimits: {
          maxYoungGenerationSizeMb: 8,
          ...(memory !== undefined && { maxOldGenerationSizeMb: memory }),
        },
      });
      worker.on('message', (response: Response) => {
        if ('unreadable' in response) unreadable();
        else this.#settle(response);
      });
      worker.on('messageerror', unreadable);
      worker.on('error', (error: Error) => this.#die(error));
      worker.on('exit', () => this.#exited.resolve());
      return worker;
    };
    void this.#exited.promise.then(() => this.#die(ended));
  }

  /** Whether it was called before. */
  get hasBegun(): boolean {
    return this.#worker !== null;
  }

  /** Why the thread is gone; null while it works. */
  get failure(): Error | null {
    return this.#dead;
  }

  /** Ends the thread once what was called has been answered. Nothing that it held open is when this resolves. */
  async end(): Promise<void> {
    if (this.#worker === null) this.#exited.resolve();
    // One that failed is dead a moment before it is gone.
    else if (!this.#dead) this.#worker.postMessage(null);
    await this.#exited.promise;
  }

  /** Ends the thread at once, also while it works: what was called rejects. */
  async kill(): Promise<void> {
    if (this.#worker === null) this.#exited.resolve();
    await this.#worker?.terminate();
  }

  /** Each name under it is made once, because a busy thread is called thousands of times a second. */
  #remote(path: readonly string[]): unknown {
    const named = new Map<string, unknown>();
    return new Proxy(() => undefined, {
      get: (_, name) => {
        // What has a method `then` would be taken for a promise.
        if (typeof name !== 'string' || name === 'then') return undefined;
        const known = named.get(name) ?? this.#remote([...path, name]);
        named.set(name, known);
        return known;
      },
      apply: (_, __, args: readonly unknown[]) => this.#ask(path, args),
    });
  }

  #ask(path: readonly string[], args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      this.#worker ??= this.#begin();
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, path, args } satisfies Request, args.flatMap(handedOver));
    });
  }

  #settle(response: Exclude<Response, { unreadable: true }>): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    if (!waiting) return;
    if ('value' in response) waiting.resolve(response.value as never);
    else if ('fault' in response) waiting.reject(faultOf(response.fault));
    else waiting.reject(Object.assign(new Error(response.error.message), { code: response.error.code }));
  }

  #die(error: Error): void {
    this.#dead ??= error;
    this.#reject(this.#dead);
  }

  #reject(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function faultOf({ code, message, retryAfter }: Pick<Fault, 'code' | 'message' | 'retryAfter'>): Fault {
  return new Fault(code, message, retryAfter === null ? {} : { retryAfter });
}

/** The file that a thread begins with: beside the one that starts it, as the source or as it is built (build.ts). */
export function workerFile(startedBy: string, name: string): URL {
  return new URL(`${name}${startedBy.endsWith('.ts') ? '.ts' : '.js'}`, startedBy);
}

type Method = (...args: never[]) => unknown;

interface Served {
  close(): void | Promise<void>;
}

/**
 * The other end: serves an object's methods until the thread is told to end. What is called before it is made waits.
 * `toFault` makes an expected refusal of an error that is one. `release` gives back what memory the object can do without.
 */
export async function serve(
  make: (role: string, data: unknown) => Served | Promise<Served>,
  toFault: (error: unknown) => unknown = (error) => error,
  release: () => void = () => undefined,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('This file is the entry of a worker thread.');
  const object = await make(workerData.role, workerData.data);
  releaseWhenQuiet(release);
  port.on('messageerror', () => port.postMessage({ unreadable: true } satisfies Response));
  port.on('message', (request: Request | null) => {
    if (request === null) {
      void Promise.resolve(object.close()).then(() => port.close());
      return;
    }
    const { id, path, args } = request;
    const answer = (value: unknown): void => port.postMessage({ id, value } satisfies Response, handedOver(value));
    const refuse = (thrown: unknown): void => {
      const error = toFault(thrown);
      if (error instanceof Fault) {
        const { code, message, retryAfter } = error;
        port.postMessage({ id, fault: { code, message, retryAfter } } satisfies Response);
        return;
      }
      const { message, code } = error as Error & { code?: string };
      port.postMessage({ id, error: { message, code } } satisfies Response);
    };
    try {
      const value = run(object, path, args);
      if (value instanceof Promise) value.then(answer).catch(refuse);
      else answer(value);
    } catch (error) {
      refuse(error);
    }
  });
}

/** Runs the method of an object that the path leads to. */
function run(object: object, [name = '', ...rest]: readonly string[], args: readonly unknown[]): unknown {
  const named = (object as Record<string, unknown>)[name];
  return rest.length > 0 ? run(named as object, rest, args) : (named as Method).apply(object, args as never[]);
}
