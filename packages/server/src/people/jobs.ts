import type { Job } from './definition.ts';

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
