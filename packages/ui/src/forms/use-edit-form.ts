import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FetchQueryOptions, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { problemFrom } from '../api/problem.ts';
import type { Edited } from '../api/query.ts';
import { applyProblem } from './apply-problem.ts';

/** The edited fields of a thing, as the API takes them. A field inside an object is named by its path: `settings.webhooks`. */
export type Fields = Readonly<Record<string, unknown>>;

export interface EditedThing {
  readonly id: string;
  readonly revision: number;
  /** A destination's secrets: whether each is set. Their values are never shown. */
  readonly settings?: { readonly [secret in 'sharedSecret' | 'standardSecret']?: { readonly set: boolean } };
}

/** `Thing` is the part of the API's `Answer` that the form needs. */
interface EditFormOptions<Thing extends EditedThing, Values extends Fields, Answer extends Thing> {
  readonly thing: Thing;
  readonly api: {
    one(id: string): FetchQueryOptions<Answer, Error>;
    update(): UseMutationOptions<Answer, Error, Edited<object>>;
  };
  readonly valuesOf: (thing: Thing) => Values;
  /** The values as a change of the thing. */
  readonly fieldsOf: (values: Values, thing: Thing) => Fields;
  readonly onSaved: (saved: Answer) => void;
  /** Returns the errors, by the paths of fields. */
  readonly validate?: (values: Values) => Readonly<Record<string, string>>;
  readonly whole?: readonly string[];
}

/** Another session's version of the thing, found when the form was submitted. */
interface Met<Thing> {
  readonly theirs: Thing;
  /** Who changed it and when, newest first, as far as known. */
  readonly changes: readonly AuditEntry[];
  /** The fields that the other session changed. */
  readonly touched: ReadonlySet<string>;
}

/** What another session changed while the form was open. */
interface Conflict extends Pick<Met<EditedThing>, 'theirs' | 'changes'> {
  /** The form's fields that the other session changed, with both values. */
  readonly fields: readonly { readonly field: string; readonly theirs: unknown; readonly mine: unknown }[];
}

export interface EditForm<Values> {
  readonly form: UseFormReturnType<Values>;
  /** Whether the form differs from what it started with. */
  readonly dirty: boolean;
  readonly busy: boolean;
  /** The error that belongs to no field; null if there is none. */
  readonly refusal: unknown;
  readonly conflict: Conflict | null;
  readonly save: () => void;
  /** Resets the form to what it started with. */
  readonly reset: () => void;
  /** Takes the other session's values. Typed values of fields that the other session did not change stay. */
  readonly takeTheirs: () => void;
  /** Saves the typed values over the other session's values. */
  readonly keepMine: () => void;
}

/** Attempts to save while others change other fields; after that, the save counts as refused. */
const MOST_TRIES = 3;

/**
 * A form that edits a part of a thing, which others may edit too. It sends the changed fields, and the revision that it
 * started with. If another session has changed the same fields, the form shows both versions to choose from. Changes of
 * other fields are kept.
 */
export function useEditForm<Thing extends EditedThing, Values extends Fields, Answer extends Thing>(
  options: EditFormOptions<Thing, Values, Answer>,
): EditForm<Values> {
  const { thing, api, valuesOf, fieldsOf, onSaved, validate = () => ({}), whole } = options;
  const form = useForm<Values>({
    initialValues: valuesOf(thing),
    validate,
    // A field's error stays until the field is changed.
    onValuesChange: (now, before) => {
      const holds = ([path]: [string, unknown]): boolean => {
        const [field = ''] = path.split('.');
        return isSame(now[field], before[field]);
      };
      form.setErrors(Object.fromEntries(Object.entries(form.errors).filter(holds)));
    },
  });
  const client = useQueryClient();
  const update = useMutation(api.update());
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [base, setBase] = useState(thing);
  const [met, setMet] = useState<Met<Thing> | null>(null);

  const saidBy = (of: Thing): Fields => fieldsOf(valuesOf(of), of);
  /** The form's current values, as a change of the thing. */
  const mineOver = (of: Thing): Fields => fieldsOf(form.getValues(), of);
  const mine = mineOver(base);
  const changed = differing(mine, saidBy(base));
  const fieldsMet = ({ theirs, touched }: Met<Thing>): Conflict['fields'] => {
    const now = saidBy(theirs);
    return changed
      .filter((field) => touched.has(field) && !isSame(now[field], mine[field]))
      .map((field) => ({ field, theirs: now[field], mine: mine[field] }));
  };
  // Compares with the form's current values: the form can still be edited during a conflict.
  const fields = met && met.theirs.revision > base.revision ? fieldsMet(met) : [];

  /** Shows the given version of the thing, except for `kept` fields, which keep what was typed. Rows that are the same stay, with the focus. */
  const show = (now: Thing, kept: readonly string[]): void => {
    const [values, said, typed] = [valuesOf(now), saidBy(now), mineOver(now)];
    const same = Object.keys(said).filter(
      (field) => typeof said[field] === 'object' && isSame(said[field], typed[field]),
    );
    form.setInitialValues(values);
    form.setValues(keeping(values, form.getValues(), [...kept, ...same]));
  };
  // Nothing was typed, so the form can show the new version.
  useEffect(() => {
    if (thing.revision <= base.revision || changed.length > 0) return;
    setBase(thing);
    if (differing(saidBy(thing), saidBy(base)).length > 0) show(thing, []);
  });

  const refused = (error: unknown): void => setRefusal(applyProblem(form, error, whole));
  const send = async (began: Thing, tries = 1): Promise<void> => {
    try {
      const over = mineOver(began);
      const body = nested(Object.fromEntries(changed.map((field) => [field, over[field]])));
      const saved = await update.mutateAsync({ ...body, id: began.id, revision: began.revision });
      setBase(saved);
      setMet(null);
      // Keeps what was typed while the call was running.
      show(saved, differing(mineOver(began), over));
      onSaved(saved);
    } catch (error) {
      const { code, changes } = problemFrom(error);
      if (code !== 'changed_meanwhile' || tries === MOST_TRIES) return refused(error);
      await meet(await client.fetchQuery({ ...api.one(began.id), staleTime: 0 }), changes, tries);
    }
  };
  const meet = async (theirs: Thing, changes: readonly AuditEntry[], tries: number): Promise<void> => {
    const named = changes.flatMap(({ values }) => values.map(({ field }) => field));
    const touched = new Set([...differing(saidBy(theirs), saidBy(base)), ...named]);
    const found = { theirs, changes, touched };
    if (fieldsMet(found).length === 0) return send(theirs, tries + 1);
    setMet(found);
  };
  const attempt = (began: Thing): void => {
    setBusy(true);
    setRefusal(null);
    void send(began)
      .catch(refused)
      .finally(() => setBusy(false));
  };

  return {
    form,
    dirty: changed.length > 0,
    busy,
    refusal,
    conflict: met && fields.length > 0 ? { ...met, fields } : null,
    save: () => attempt(base),
    reset: () => {
      form.reset();
      setRefusal(null);
    },
    takeTheirs: () => {
      if (!met) return;
      setBase(met.theirs);
      setMet(null);
      show(
        met.theirs,
        changed.filter((name) => !fields.some(({ field }) => field === name)),
      );
    },
    keepMine: () => {
      if (!met) return;
      const wrong = validate(form.getValues());
      form.setErrors(wrong);
      if (Object.keys(wrong).length > 0) return;
      show(met.theirs, changed);
      attempt(met.theirs);
    },
  };
}

function differing(a: Fields, b: Fields): string[] {
  return Object.keys(a).filter((field) => !isSame(a[field], b[field]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Turns `settings.webhooks` into nested objects, as the API takes it. */
function nested(fields: Fields): object {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) {
    const [name = '', inner] = path.split('.');
    body[name] = inner === undefined ? value : { ...(body[name] as object | undefined), [inner]: value };
  }
  return body;
}

/** The values, with some fields as they were typed. */
function keeping<Values extends Fields>(values: Values, typed: Values, fields: readonly string[]): Values {
  const kept: Record<string, unknown> = { ...values };
  for (const field of fields) {
    const [name = '', inner] = field.split('.');
    const within = (of: unknown): unknown => Reflect.get(Object(of), inner ?? '');
    kept[name] = inner === undefined ? typed[name] : { ...Object(kept[name]), [inner]: within(typed[name]) };
  }
  return kept as Values;
}
