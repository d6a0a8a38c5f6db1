import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded by a process before all else, shifts its clock by CLOCK_SKEW_MS. At each SIGUSR2 it is set anew, to be off by what stands
 * in the file CLOCK_SKEW_FILE.
 */
let skew = Number(process.env['CLOCK_SKEW_MS'] ?? 0);
const now = Date.now;
const RightDate = Date;

Date.now = (): number => now() + skew;
globalThis.Date = new Proxy(RightDate, {
  construct: (_, args: []) => (args.length > 0 ? new RightDate(...args) : new RightDate(RightDate.now())),
  apply: () => new RightDate(RightDate.now()).toString(),
});

const file = process.env['CLOCK_SKEW_FILE'];
if (file !== undefined && isMainThread) {
  process.on('SIGUSR2', () => {
    skew = Number(readFileSync(file, 'utf8'));
  });
}
