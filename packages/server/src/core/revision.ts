import { Fault } from './fault.ts';

/** What has a version: how often it was changed is its revision. */
export interface Versioned {
  /** From 1, one more with every change of the configuration; absent for 1. No time and no count is part of it. */
  readonly revision?: number;
}

/** A thing before and after a change of it. */
export interface Changed<T> {
  readonly before: T;
  readonly after: T;
}

/** Whether a change that began with a revision may be made to this one. */
export type Expects = (revision: number) => boolean;

export function revisionOf({ revision = 1 }: Versioned): number {
  return revision;
}

/** @param what `source src_1` */
export function changedMeanwhile(what: string): Fault {
  return new Fault('changed_meanwhile', `The ${what} was changed since: read it again, and decide anew.`);
}
