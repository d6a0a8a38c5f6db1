import { readFileSync } from 'node:fs';

/** Three threads open each partition and its write-ahead log, and one file is shared. */
const FILES_EACH = 7;
/** Room for everything else: other files, and connections. */
const FILES_BESIDE = 500;

/**
 * Why the process may open too few files for so many partitions, in words; null if it may open enough, or the limit is unknown.
 *
 * @param limits what Linux says of the process; Node has raised the limit to the hard one.
 */
export function tooFewFiles(partitions: number, limits: string | null = limitsOfProcess()): string | null {
  const most = Number(/^Max open files +(\d+)/m.exec(limits ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  const needed = partitions * FILES_EACH + FILES_BESIDE;
  if (most >= needed) return null;
  return `MILLRACE_RETENTION is ${partitions} files of events, which need ${needed} open files, and this process may open ${most}: raise the hard limit (ulimit -Hn, LimitNOFILE of systemd, --ulimit nofile of Docker), or shorten the retention`;
}

function limitsOfProcess(): string | null {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return null;
  }
}
