/** Length of a turn. */
const TURN_MS = 10;

/**
 * Lets processes run in turns, each for a fixed share of the time and no two at once (SIGSTOP and SIGCONT): as if each had a
 * smaller machine of its own. So one machine with few cores shows what several would do, and a process that is alone in its
 * turns gets no more of them than one of many.
 */
export class Turns {
  readonly #of: number;
  readonly #pids: number[] = [];
  #turn = 0;
  #timer: NodeJS.Timeout | null = null;

  /** A process has one turn in so many, and there is room for as many processes. */
  constructor(of: number) {
    this.#of = of;
  }

  /** From now on the process runs in its turns alone. */
  add(pid: number): void {
    this.#pids.push(pid);
    signal(pid, 'SIGSTOP');
    this.#timer ??= setInterval(() => {
      signal(this.#pids[this.#turn], 'SIGSTOP');
      this.#turn = (this.#turn + 1) % this.#of;
      signal(this.#pids[this.#turn], 'SIGCONT');
    }, TURN_MS);
  }

  /** All of them run as they like again. */
  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    for (const pid of this.#pids.splice(0)) signal(pid, 'SIGCONT');
  }
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // One that has ended is told nothing; that it ended is for who started it.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
