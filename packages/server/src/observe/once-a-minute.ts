const QUIET_MS = 60_000;

/** Bounds the log lines about something that keeps happening: one at once, and then one each minute with the count. */
export class OnceAMinute {
  readonly #now: () => number;
  /** When a subject was logged last, and how often it came since. */
  readonly #said = new Map<string, { readonly at: number; more: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Call it each time. Answers how often it came since the last line, if a line is due; else null. */
  due(subject: string): number | null {
    const now = this.#now();
    const said = this.#said.get(subject);
    if (said !== undefined && now - said.at < QUIET_MS && now >= said.at) {
      said.more += 1;
      return null;
    }
    this.#said.set(subject, { at: now, more: 0 });
    return 1 + (said?.more ?? 0);
  }
}
