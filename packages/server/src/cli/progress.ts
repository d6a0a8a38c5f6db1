import { signalOf } from './ending.ts';
import type { Io, Screen } from './io.ts';

export interface Progress {
  /** `share` is the done part, from 0 to 1; `text` describes it. */
  show(share: number, text: string): void;
  /** Clears the progress line for the next output. */
  end(): void;
}

const BAR = 24;
/** Shortest time between two updates, milliseconds: on a terminal, and for lines in a log. */
const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** A progress bar on a terminal; elsewhere a line now and then. */
function progressOn(screen: Screen): Progress {
  let shownAt = 0;
  let drawn = false;
  const isDue = (every: number): boolean => {
    if (Date.now() - shownAt < every) return false;
    shownAt = Date.now();
    return true;
  };
  if (!screen.isTTY) {
    shownAt = Date.now();
    return {
      show: (share, text) => {
        if (isDue(LINE_MS)) screen.write(`${percent(share)}  ${text}\n`);
      },
      end: () => {},
    };
  }
  return {
    show(share, text) {
      if (!isDue(REDRAW_MS)) return;
      const filled = Math.round(Math.min(1, share) * BAR);
      const line = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${percent(share)}  ${text}`;
      screen.write(`\r\x1b[K${line.slice(0, (screen.columns ?? 80) - 1)}`);
      drawn = true;
    },
    end() {
      if (drawn) screen.write('\r\x1b[K');
      drawn = false;
    },
  };
}

/** Runs work that shows progress and that the first signal aborts. Afterwards the screen and the signals are free again. */
export async function withProgress<T>(
  io: Io,
  work: (progress: Progress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = signalOf(io);
  const progress = progressOn(io.err);
  try {
    return await work(progress, ending.signal);
  } finally {
    progress.end();
    ending.done();
  }
}

function percent(share: number): string {
  return `${Math.floor(Math.min(1, share) * 100)} %`.padStart(5);
}
