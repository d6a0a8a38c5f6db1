import { useEffect, useState } from 'react';
import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { problemFrom } from '../api/problem.ts';
import type { Edited } from '../api/query.ts';

/** What a form edits of a thing, as the API takes it, by field; of an object within by its path: `settings.webhooks`. */
export type Fields = Readonly<Record<string, unknown>>;

export interface EditedThing {
  readonly id: string;
  readonly revision: number;
}

/** What another session changed while the form was open. */
export interface Conflict<Thing> {
  readonly theirs: Thing;
  /** The fields of the form that they changed, theirs and mine. */
  readonly fields: readonly { readonly field: string; readonly theirs: unknown; readonly mine: unknown }[];
  /** Who and when, newest first, as far as it is known. */
  readonly changes: readonly AuditEntry[];
}

export interface EditOptions<Thing extends EditedThing> {
  readonly thing: Thing;
  /** The thing as it is now. */
  readonly read: (id: string) => Promise<Thing>;
  readonly update: (change: Edited<object>) => Promise<Thing>;
  readonly fieldsOf: (thing: Thing) => Fields;
  /** What the form says at this moment, as a change of the thing as it was read. */
  readonly mineOver: (thing: Thing) => Fields;
  /** Shows the thing as it is now, but for the fields that are kept as they were typed. */
  readonly show: (thing: Thing, kept: ReadonlySet<string>) => void;
  /** Shows it as `show` does: what was typed while it was on its way is kept. */
  readonly onSaved: (saved: Thing, kept: ReadonlySet<string>) => void;
  /** What it throws is shown. */
  readonly onRefused: (error: unknown) => void;
}

export interface Edit<Thing> {
  /** Does the form say anything else than what it began with. */
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly conflict: Conflict<Thing> | null;
  readonly save: () => void;
  /** Shows what they made of it; what they left alone stays as it was typed. */
  readonly takeTheirs: () => void;
  /** Saves what was typed over theirs. */
  readonly keepMine: () => void;
}

/** What others change beside a form is met so many times, then it is a refusal. */
const MOST_TRIES = 3;

/**
 * Edits a thing beside others who may: sends the revision that the form began with and the fields that were changed. What
 * another session has changed of these meanwhile is shown, to be chosen from; what it has changed of other fields stays.
 */
export function useEdit<Thing extends EditedThing>(options: EditOptions<Thing>): Edit<Thing> {
  const { thing, read, update, fieldsOf, mineOver, show, onSaved, onRefused } = options;
  const [busy, setBusy] = useState(false);
  const [base, setBase] = useState(thing);
  const [met, setMet] = useState<Met<Thing> | null>(null);
  const mine = mineOver(base);
  const changed = differing(mine, fieldsOf(base));
  const fieldsMet = ({ theirs, touched }: Met<Thing>): string[] => {
    const now = fieldsOf(theirs);
    return changed.filter((field) => touched.has(field) && !isSame(now[field], mine[field]));
  };
  // What the form says now counts: it can still be edited.
  const conflict = met && met.theirs.revision > base.revision ? conflictOf(met, fieldsMet(met), fieldsOf, mine) : null;

  // Nothing is typed over, so what is there now can be shown.
  useEffect(() => {
    if (thing.revision <= base.revision || changed.length > 0) return;
    setBase(thing);
    if (differing(fieldsOf(thing), fieldsOf(base)).length > 0) show(thing, new Set());
  }, [thing, base, changed, fieldsOf, show]);

  const send = async (began: Thing, tries = 1): Promise<void> => {
    try {
      const over = mineOver(began);
      const body = nested(Object.fromEntries(changed.map((field) => [field, over[field]])));
      const saved = await update({ ...body, id: began.id, revision: began.revision });
      setBase(saved);
      setMet(null);
      onSaved(saved, new Set(differing(mineOver(began), over)));
    } catch (error) {
      const { code, changes } = problemFrom(error);
      if (code !== 'changed_meanwhile' || tries === MOST_TRIES) return onRefused(error);
      await meet(await read(began.id), changes, tries);
    }
  };
  const meet = async (theirs: Thing, changes: readonly AuditEntry[], tries: number): Promise<void> => {
    const named = changes.flatMap(({ values }) => values.map(({ field }) => field));
    const touched = new Set([...differing(fieldsOf(theirs), fieldsOf(base)), ...named]);
    const found = { theirs, changes, touched };
    if (fieldsMet(found).length === 0) return send(theirs, tries + 1);
    setMet(found);
  };
  const attempt = (began: Thing): void => {
    setBusy(true);
    void send(began)
      .catch(onRefused)
      .finally(() => setBusy(false));
  };

  return {
    dirty: changed.length > 0,
    busy,
    conflict,
    save: () => attempt(base),
    takeTheirs: () => {
      if (!conflict) return;
      const lost = new Set(conflict.fields.map(({ field }) => field));
      setBase(conflict.theirs);
      setMet(null);
      show(conflict.theirs, new Set(changed.filter((field) => !lost.has(field))));
    },
    keepMine: () => {
      if (!conflict) return;
      show(conflict.theirs, new Set(changed));
      attempt(conflict.theirs);
    },
  };
}

/** What another session has made of a thing whose form was sent. */
interface Met<Thing> extends Pick<Conflict<Thing>, 'theirs' | 'changes'> {
  /** Fields that were changed there. */
  readonly touched: ReadonlySet<string>;
}

/** Null without any field. */
function conflictOf<Thing>(
  { theirs, changes }: Met<Thing>,
  fields: readonly string[],
  fieldsOf: (thing: Thing) => Fields,
  mine: Fields,
): Conflict<Thing> | null {
  const now = fieldsOf(theirs);
  const both = fields.map((field) => ({ field, theirs: now[field], mine: mine[field] }));
  return both.length === 0 ? null : { theirs, changes, fields: both };
}

function differing(a: Fields, b: Fields): string[] {
  return Object.keys(a).filter((field) => !isSame(a[field], b[field]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** `settings.webhooks` as the API takes it. */
function nested(fields: Fields): object {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) {
    const [name = '', inner] = path.split('.');
    body[name] = inner === undefined ? value : { ...(body[name] as object | undefined), [inner]: value };
  }
  return body;
}
