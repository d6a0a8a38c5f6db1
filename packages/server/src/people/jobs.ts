import type { Definition } from './contract.ts';
import type { Job } from './definition.ts';
import type { Rules } from './rules.ts';

/** A job that decides again about all persons, in the place of another job. A sync that it replaces starts again after it. */
export function computing(before: Job | null, total: number): Job {
  const isSynced = before?.kind === 'sync' || before?.thenSync === true;
  return { kind: 'compute', done: 0, total, ...(isSynced && { thenSync: true }) };
}

/** A job after one of its steps: `done` is null when that was the last. */
export function following(job: Job, done: number | null): Job | null {
  if (done !== null) return { ...job, done, total: Math.max(job.total, done) };
  return job.thenSync === true ? { kind: 'sync', done: 0, total: job.total } : null;
}

/** The definition whose job has its turn: first what is forgotten, then what others build on, then the rest. */
export function nextJob(definitions: readonly Definition[], { order }: Rules): Definition | undefined {
  const forgotten = definitions.find(({ job }) => job?.kind === 'forget');
  return forgotten ?? order.find(({ definition }) => definition.job !== null)?.definition;
}

/** Those that are not being forgotten. */
export function living(definitions: readonly Definition[]): readonly Definition[] {
  return definitions.filter(({ job }) => job?.kind !== 'forget');
}
