import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Fault } from '../core/fault.ts';
import { handedOver } from '../core/handed-over.ts';
import { releaseWhenQuiet } from './quiet.ts';

/**
 * An object on another thread, as this thread uses it: its methods answer promises, and its public fields that are objects are
 * used in the same way.
 */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : T[K] extends object
      ? Remote<T[K]>
      : never;
};

interface Request {
  readonly id: number;
  /** The names of the fields that lead to the method, and the method's name. */
  readonly path: readonly string[];
  readonly args: readonly unknown[];
}

type Response =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } }
  /** The other thread could not read a call; which one is not known. */
  | { readonly unreadable: true }
  /** An expected refusal; it becomes a Fault again. */
  | { readonly id: number; readonly fault: Pick<Fault, 'code' | 'message' | 'retryAfter'> };

/**
 * A thread that owns one object and runs its methods one after the other, in the order of the calls. After the first `await` of
 * an async method, the next method may run beside it. A Fault that a method throws arrives as a Fault. A message that can't be
 * read, because it is nested too deeply, rejects all waiting calls: which of them it belonged to is not known.
 */
export class Thread<T> {
  /** Buffers that are handed over with an argument or an answer (core/handed-over.ts) are moved instead of copied. */
  readonly remote: Remote<T> = this.#remote([]) as Remote<T>;
  readonly #begin: () => Worker;
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #exited = Promise.withResolvers<void>();
  #lastId = 0;
  #dead: Error | null = null;

  /**
   * `entry`: the file that serves the object. The thread begins at the first call, with what `data` answers then. `memory`: most
   * megabytes that its heap may have; with more the thread dies. Default: as much as the process may have.
   */
  constructor(role: string, data: () => unknown, entry: URL, memory?: number) {
    const ended = new Error(`The ${role} thread has ended.`);
    const unreadable = (): void => this.#reject(new Error(`A message from or to the ${role} thread is unreadable.`));
    this.#begin = () => {
      const worker = new Worker(entry, {
        workerData: { role, data: data() },
        name: role,
        // Messages die young: a larger young generation would only be swept less often.
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

  /** Whether the thread has begun. */
  get hasBegun(): boolean {
    return this.#worker !== null;
  }

  /** Why the thread has ended by itself; null while it works. */
  get failure(): Error | null {
    return this.#dead;
  }

  /** Ends the thread when all calls are answered. When this resolves, the thread holds nothing open. */
  async end(): Promise<void> {
    if (this.#worker === null) this.#exited.resolve();
    // A thread that failed is marked dead a moment before it exits.
    else if (!this.#dead) this.#worker.postMessage(null);
    await this.#exited.promise;
  }

  /** Ends the thread at once, even in the middle of a call; calls that wait reject. */
  async kill(): Promise<void> {
    if (this.#worker === null) this.#exited.resolve();
    await this.#worker?.terminate();
  }

  /** Each name is made once, because a busy thread is called thousands of times a second. */
  #remote(path: readonly string[]): unknown {
    const named = new Map<string, unknown>();
    return new Proxy(() => undefined, {
      get: (_, name) => {
        // An object with a method `then` would be taken for a promise.
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

/** The file a thread begins with: it lies beside the file that starts the thread, both as source and as built (build.ts). */
export function workerFile(startedBy: string, name: string): URL {
  return new URL(`${name}${startedBy.endsWith('.ts') ? '.ts' : '.js'}`, startedBy);
}

type Method = (...args: never[]) => unknown;

interface Served {
  close(): void | Promise<void>;
}

/**
 * The thread's side: serves an object's methods until the thread is told to end. Calls that come before the object is made wait.
 * `toFault` turns an error that is an expected refusal into a Fault. `release` frees memory that the object can do without.
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

/** Calls the method of an object to which the path leads. */
function run(object: object, [name = '', ...rest]: readonly string[], args: readonly unknown[]): unknown {
  const named = (object as Record<string, unknown>)[name];
  return rest.length > 0 ? run(named as object, rest, args) : (named as Method).apply(object, args as never[]);
}
