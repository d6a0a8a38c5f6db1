/**
 * When a message that no URL took is tried again (contract 5).
 *
 * The wait before round n+1 is uniform in [½, 1] × min(base · 2^(n−1), cap), or what the endpoints asked for (Retry-After)
 * if that is later. The window is counted from the first round and the last round is at its end: a round that would be due
 * later is due then, and a round that ends at or after it is the last, also where the process was down in between.
 *
 * With the default settings (base 5 s, cap 10 min, window 4 h), endpoints that answer at once and no Retry-After:
 *
 *     round          2      3      4      5      6      7      8       9       10       then every     last
 *     wait at most   5 s    10 s   20 s   40 s   80 s   160 s  320 s   10 min  10 min   10 min
 *     since first    5 s    15 s   35 s   75 s   155 s  315 s  635 s   20:35   30:35    10 min         4:00:00
 *     at least       2.5 s  7.5 s  17 s   37 s   77 s   157 s  317 s   10:17   15:17    5 min          4:00:00
 *
 * That is 31 rounds where every wait is the longest, and 55 where each is the shortest.
 *
 * Answers when it is due, milliseconds since the epoch: after `now` and never past the window's end. Null where the last round was made.
 */
export function nextRound(state: RoundState, policy: RetryPolicy): number | null {
  const end = state.firstAt + policy.window;
  if (state.now >= end) return null;
  const wait = Math.max(longestWait(state.rounds, policy) * (0.5 + state.random / 2), state.retryAfter ?? 0);
  return Math.min(Math.ceil(state.now + wait), end);
}

/** Longest wait after this many rounds, milliseconds. The shortest is half of it. */
function longestWait(rounds: number, { base, cap }: RetryPolicy): number {
  return Math.min(base * 2 ** (rounds - 1), cap);
}

/** The schedule as a table: from the second round to the last one, or to round `upTo`. */
export function firstRounds(policy: RetryPolicy, upTo: number): ScheduledRound[] {
  const table: ScheduledRound[] = [];
  const dueAfter = (rounds: number, now: number, random: number): number =>
    nextRound({ rounds, firstAt: 0, now, retryAfter: null, random }, policy) ?? now;
  let [earliest, latest] = [0, 0];
  for (let round = 2; round <= upTo && earliest < policy.window; round++) {
    earliest = dueAfter(round - 1, earliest, 0);
    latest = dueAfter(round - 1, latest, 1);
    const waitAtMost = longestWait(round - 1, policy);
    const wait = { waitAtLeast: waitAtMost / 2, waitAtMost };
    table.push({ round, ...wait, sinceFirstAtLeast: earliest, sinceFirstAtMost: latest });
  }
  return table;
}

/** A round of a message whose endpoints answer at once and ask for no wait. Times are milliseconds; a round at the end of the window is the last. */
export interface ScheduledRound {
  readonly round: number;
  readonly waitAtLeast: number;
  readonly waitAtMost: number;
  readonly sinceFirstAtLeast: number;
  readonly sinceFirstAtMost: number;
}

/** All in milliseconds. */
export interface RetryPolicy {
  readonly base: number;
  readonly cap: number;
  /** From the first round to the last. */
  readonly window: number;
}

export interface RoundState {
  /** Rounds in this window, the one that just ended included; at least 1. */
  readonly rounds: number;
  /** When the window's first round began, milliseconds since the epoch. */
  readonly firstAt: number;
  readonly now: number;
  /** The longest wait that an endpoint asked for in the last round, milliseconds. */
  readonly retryAfter: number | null;
  /** Uniform in [0, 1). */
  readonly random: number;
}
