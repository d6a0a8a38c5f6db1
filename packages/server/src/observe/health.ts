import type { Clock } from '../core/clock.ts';
import { within } from '../core/pause.ts';

/** Null when all is well, else why not, in words a person on call can use. */
export type Check = () => string | null | Promise<string | null>;

export interface CheckResult {
  name: string;
  ok: boolean;
  reason: string | null;
}

export interface Report {
  /** `degraded`: it works, and something needs attention. */
  status: 'ok' | 'degraded' | 'failing';
  checks: CheckResult[];
}

/** A check that takes longer than this fails, milliseconds. */
const DEADLINE = 2000;

/**
 * Whether the process works (`live`: if not, restart it) and whether it can take calls now (`ready`: if not, send them
 * elsewhere). Each is the sum of named checks; each part adds its own.
 */
export class Health {
  readonly #clock: Clock;
  readonly #live = new Map<string, Check>();
  readonly #ready = new Map<string, Check>();
  readonly #notices = new Map<string, Check>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a check of the process itself, by a name of its own. */
  addLive(name: string, check: Check): void {
    this.#live.set(name, check);
  }

  /** Adds a check of what it needs to take calls, by a name of its own. */
  addReady(name: string, check: Check): void {
    this.#ready.set(name, check);
  }

  /** Adds something that a person has to look at, by a name of its own. It keeps no call away. */
  addNotice(name: string, check: Check): void {
    this.#notices.set(name, check);
  }

  live(): Promise<Report> {
    return this.#report(this.#live);
  }

  /** Ready takes being live. */
  async ready(): Promise<Report> {
    const [report, notices] = await Promise.all([
      this.#report(new Map([...this.#live, ...this.#ready])),
      this.#report(this.#notices),
    ]);
    const isDegraded = report.status === 'ok' && notices.status !== 'ok';
    return { status: isDegraded ? 'degraded' : report.status, checks: [...report.checks, ...notices.checks] };
  }

  async #report(checks: ReadonlyMap<string, Check>): Promise<Report> {
    const results = await Promise.all([...checks].map(([name, check]) => this.#run(name, check)));
    return { status: results.every(({ ok }) => ok) ? 'ok' : 'failing', checks: results };
  }

  async #run(name: string, check: Check): Promise<CheckResult> {
    const late = (): string => `no answer within ${DEADLINE} ms`;
    try {
      const reason = await within(DEADLINE, Promise.resolve().then(check), late, this.#clock);
      return { name, ok: reason === null, reason };
    } catch (error) {
      return { name, ok: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }
}
