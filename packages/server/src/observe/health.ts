import type { Clock } from '../core/clock.ts';
import { within } from '../core/pause.ts';

/** Null when all is well, else the reason in words for a person on call. */
export type Check = () => string | null | Promise<string | null>;

/** `live`: the process itself. `ready`: what it needs to take calls. `notice`: what a person has to look at; it stops no calls. */
export type CheckKind = 'live' | 'ready' | 'notice';

export interface CheckResult {
  name: string;
  ok: boolean;
  reason: string | null;
}

export interface Report {
  /** `degraded`: the service works, and something needs attention. */
  status: 'ok' | 'degraded' | 'failing';
  checks: CheckResult[];
}

/** A check that takes longer than this fails, milliseconds. */
const DEADLINE = 2000;

/**
 * Whether the process works (`live`: if not, restart it) and whether it can take calls now (`ready`: if not, send them
 * elsewhere). Both are made of named checks, which the parts of the service add.
 */
export class Health {
  readonly #clock: Clock;
  readonly #checks: { readonly kind: CheckKind; readonly name: string; readonly check: Check }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a check under a name of its own. */
  add(kind: CheckKind, name: string, check: Check): void {
    this.#checks.push({ kind, name, check });
  }

  live(): Promise<Report> {
    return this.#report('live');
  }

  /** A process that is not live is not ready. */
  async ready(): Promise<Report> {
    const [report, notices] = await Promise.all([this.#report('live', 'ready'), this.#report('notice')]);
    const isDegraded = report.status === 'ok' && notices.status !== 'ok';
    return { status: isDegraded ? 'degraded' : report.status, checks: [...report.checks, ...notices.checks] };
  }

  async #report(...kinds: readonly CheckKind[]): Promise<Report> {
    const asked = this.#checks.filter(({ kind }) => kinds.includes(kind));
    const results = await Promise.all(asked.map(({ name, check }) => this.#run(name, check)));
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
