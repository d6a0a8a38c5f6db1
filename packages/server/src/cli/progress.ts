import { signalOf } from './ending.ts';
import type { Io, Screen } from './io.ts';

export interface Progress {
  /** `share` is how much is done, from 0 to 1; `text` says it in words. */
  show(share: number, text: string): void;
  /** Leaves the screen free for what is said next. */
  end(): void;
}

const BAR = 24;
/** A terminal is drawn anew this often; elsewhere, in a log, a line is enough for this long. Milliseconds. */
const REDRAW_MS = 100;
const LINE_MS = 5_000;

/** A bar that redraws itself on a terminal, a line now and then elsewhere. */
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

/** Work that shows how far it is, and that the first signal ends. Screen and signals are free when it is over. */
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
