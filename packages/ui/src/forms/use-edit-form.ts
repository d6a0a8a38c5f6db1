import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FetchQueryOptions, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { problemFrom } from '../api/problem.ts';
import type { Edited } from '../api/query.ts';
import { applyProblem } from './apply-problem.ts';

/** What a form edits of a thing, as the API takes it, by field; of an object within by its path: `settings.webhooks`. */
export type Fields = Readonly<Record<string, unknown>>;

export interface EditedThing {
  readonly id: string;
  readonly revision: number;
  /** Of a destination: whether it has secrets, which are not shown. */
  readonly settings?: { readonly [secret in 'sharedSecret' | 'standardSecret']?: { readonly set: boolean } };
}

/** `Thing` is what the form needs of what the API `Answer`s. */
interface EditFormOptions<Thing extends EditedThing, Values extends Fields, Answer extends Thing> {
  readonly thing: Thing;
  readonly api: {
    one(id: string): FetchQueryOptions<Answer, Error>;
    update(): UseMutationOptions<Answer, Error, Edited<object>>;
  };
  readonly valuesOf: (thing: Thing) => Values;
  /** As a change of the thing. */
  readonly fieldsOf: (values: Values, thing: Thing) => Fields;
  readonly onSaved: (saved: Answer) => void;
  /** What is wrong, by the paths of fields. */
  readonly validate?: (values: Values) => Readonly<Record<string, string>>;
  /** As applyProblem has them. */
  readonly places?: (values: Values) => Readonly<Record<string, string>>;
  readonly whole?: readonly string[];
}

/** What another session has made of a thing whose form was sent. */
interface Met<Thing> {
  readonly theirs: Thing;
  /** Who and when, newest first, as far as it is known. */
  readonly changes: readonly AuditEntry[];
  /** Fields that were changed there. */
  readonly touched: ReadonlySet<string>;
}

/** What another session changed while the form was open. */
interface Conflict extends Pick<Met<EditedThing>, 'theirs' | 'changes'> {
  /** The fields of the form that they changed, theirs and mine. */
  readonly fields: readonly { readonly field: string; readonly theirs: unknown; readonly mine: unknown }[];
}

export interface EditForm<Values> {
  readonly form: UseFormReturnType<Values>;
  /** Does the form say anything else than what it began with. */
  readonly dirty: boolean;
  readonly busy: boolean;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  readonly conflict: Conflict | null;
  readonly save: () => void;
  /** Back to what the form began with. */
  readonly reset: () => void;
  /** Shows what they made of it; what they left alone stays as it was typed. */
  readonly takeTheirs: () => void;
  /** Saves what was typed over theirs. */
  readonly keepMine: () => void;
}

/** What others change beside a form is met so many times, then it is a refusal. */
const MOST_TRIES = 3;

/**
 * A form that edits a part of a thing beside others who may: it sends the revision that it began with and the fields that were
 * changed. What another session has changed of these meanwhile is shown, to be chosen from; what it has changed of other fields
 * stays.
 */
export function useEditForm<Thing extends EditedThing, Values extends Fields, Answer extends Thing>(
  options: EditFormOptions<Thing, Values, Answer>,
): EditForm<Values> {
  const { thing, api, valuesOf, fieldsOf, onSaved, validate = () => ({}), places, whole } = options;
  const form = useForm<Values>({
    initialValues: valuesOf(thing),
    validate,
    // What was said of a field holds until the field is changed.
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
  /** What the form says at this moment, as a change of the thing as it was read. */
  const mineOver = (of: Thing): Fields => fieldsOf(form.getValues(), of);
  const mine = mineOver(base);
  const changed = differing(mine, saidBy(base));
  const fieldsMet = ({ theirs, touched }: Met<Thing>): Conflict['fields'] => {
    const now = saidBy(theirs);
    return changed
      .filter((field) => touched.has(field) && !isSame(now[field], mine[field]))
      .map((field) => ({ field, theirs: now[field], mine: mine[field] }));
  };
  // What the form says now counts: it can still be edited.
  const fields = met && met.theirs.revision > base.revision ? fieldsMet(met) : [];

  /** Shows the thing as it is now, but for the fields that are kept as they were typed. */
  const show = (now: Thing, kept: readonly string[]): void => {
    const values = valuesOf(now);
    form.setInitialValues(values);
    form.setValues(keeping(values, form.getValues(), kept));
  };
  // Nothing is typed over, so what is there now can be shown.
  useEffect(() => {
    if (thing.revision <= base.revision || changed.length > 0) return;
    setBase(thing);
    if (differing(saidBy(thing), saidBy(base)).length > 0) show(thing, []);
  });

  const refused = (error: unknown): void => setRefusal(applyProblem(form, error, places?.(form.values), whole));
  const send = async (began: Thing, tries = 1): Promise<void> => {
    try {
      const over = mineOver(began);
      const body = nested(Object.fromEntries(changed.map((field) => [field, over[field]])));
      const saved = await update.mutateAsync({ ...body, id: began.id, revision: began.revision });
      setBase(saved);
      setMet(null);
      // What was typed while it was on its way is kept.
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

/** `settings.webhooks` as the API takes it. */
function nested(fields: Fields): object {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) {
    const [name = '', inner] = path.split('.');
    body[name] = inner === undefined ? value : { ...(body[name] as object | undefined), [inner]: value };
  }
  return body;
}

/** The values, but for some fields that stay as they were typed. */
function keeping<Values extends Fields>(values: Values, typed: Values, fields: readonly string[]): Values {
  const kept: Record<string, unknown> = { ...values };
  for (const field of fields) {
    const [name = '', inner] = field.split('.');
    const within = (of: unknown): unknown => Reflect.get(Object(of), inner ?? '');
    kept[name] = inner === undefined ? typed[name] : { ...Object(kept[name]), [inner]: within(typed[name]) };
  }
  return kept as Values;
}
