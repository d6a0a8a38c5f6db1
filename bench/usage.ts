import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its children use. */
export interface Usage {
  /** User and system time so far, all threads. */
  readonly cpuSeconds: number;
  /** Resident memory now, and the most it ever was. */
  readonly rssMb: number;
  readonly peakMb: number;
}

/** The kernel counts CPU time for /proc in hundredths of a second on every common platform. */
const TICKS_PER_SECOND = 100;

/** Adds up a process and its descendants, also those that have ended and were waited for; null where there is no /proc. */
export function usageOf(...pids: readonly number[]): Usage | null {
  const tree = familyOf(pids);
  if (tree === null) return null;
  const sum = { cpuSeconds: 0, rssMb: 0, peakMb: 0 };
  for (const pid of tree) {
    const fields = statOf(pid);
    const status = read(`/proc/${pid}/status`);
    // Fields 14 to 17 of proc(5), the last two of ended children; the first two fields are cut off.
    for (const ticks of fields?.slice(11, 15) ?? []) sum.cpuSeconds += Number(ticks) / TICKS_PER_SECOND;
    sum.rssMb += megabytes(status, 'VmRSS');
    sum.peakMb += megabytes(status, 'VmHWM');
  }
  return sum;
}

function familyOf(pids: readonly number[]): Set<number> | null {
  let all: number[];
  try {
    all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return null;
  }
  const parents = new Map(all.map((pid) => [pid, Number(statOf(pid)?.[1] ?? 0)]));
  const family = new Set(pids);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return family;
}

/** The fields of /proc/PID/stat after the name, which may itself hold blanks and brackets. */
function statOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function megabytes(status: string | null, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status ?? '')?.[1] ?? 0) / 1024;
}

/** Null for a process that is gone. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
