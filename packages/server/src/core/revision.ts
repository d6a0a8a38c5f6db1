import { Fault } from './fault.ts';

/** A thing with a version: its revision counts its changes. */
export interface Versioned {
  /** From 1, one more with each change of the configuration; absent stands for 1. Times and counts of the thing do not change it. */
  readonly revision?: number;
}

/** A thing before and after a change of it. */
export interface Changed<T> {
  readonly before: T;
  readonly after: T;
}

/** Whether a change that was based on this revision may be made. */
export type Expects = (revision: number) => boolean;

export function revisionOf({ revision = 1 }: Versioned): number {
  return revision;
}

/** @param what the thing in words: `source src_1`. */
export function changedMeanwhile(what: string): Fault {
  return new Fault('changed_meanwhile', `The ${what} was changed since: read it again, and decide anew.`);
}
