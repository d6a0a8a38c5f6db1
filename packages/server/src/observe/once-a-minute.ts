const QUIET_MS = 60_000;

/**
 * Bounds the log lines about something that keeps happening: one at once, and then one each minute with the count. Call the
 * answered function each time. It answers how often the subject came since the last line, if a line is due; else null.
 */
export function onceAMinute(clock: () => number): (subject: string) => number | null {
  /** When a subject was logged last, and how often it came since. */
  const said = new Map<string, { readonly at: number; more: number }>();
  return (subject) => {
    const now = clock();
    const last = said.get(subject);
    if (last !== undefined && now - last.at < QUIET_MS && now >= last.at) {
      last.more += 1;
      return null;
    }
    said.set(subject, { at: now, more: 0 });
    return 1 + (last?.more ?? 0);
  };
}
