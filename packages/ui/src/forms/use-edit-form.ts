import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { type FetchQueryOptions, type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Edited } from '../api/query.ts';
import { applyProblem } from './apply-problem.ts';
import { type Edit, type EditedThing, type Fields, useEdit } from './use-edit.ts';

interface EditFormOptions<Thing extends EditedThing, Values extends Record<string, unknown>> {
  readonly thing: Thing;
  readonly api: {
    one(id: string): FetchQueryOptions<Thing, Error>;
    update(): UseMutationOptions<Thing, Error, Edited<object>>;
  };
  readonly valuesOf: (thing: Thing) => Values;
  /** As a change of the thing. */
  readonly fieldsOf: (values: Values, thing: Thing) => Fields;
  readonly onSaved: (saved: Thing) => void;
  readonly validate?: NonNullable<UseFormInput<Values>['validate']>;
  /** As applyProblem has them. */
  readonly places?: (values: Values) => Readonly<Record<string, string>>;
  readonly whole?: readonly string[];
}

export interface EditForm<Thing, Values> extends Edit<Thing> {
  readonly form: UseFormReturnType<Values>;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  /** Back to what the form began with. */
  readonly reset: () => void;
}

/** A form that edits a part of a thing; see use-edit.ts. */
export function useEditForm<Thing extends EditedThing, Values extends Record<string, unknown>>(
  options: EditFormOptions<Thing, Values>,
): EditForm<Thing, Values> {
  const { thing, api, valuesOf, fieldsOf, onSaved, validate = {}, places, whole } = options;
  const form = useForm<Values>({
    initialValues: valuesOf(thing),
    validate,
    // What was said of a field holds until the field is changed.
    onValuesChange: (now, before) => {
      const holds = ([path]: [string, unknown]): boolean => {
        const [field = ''] = path.split('.');
        return JSON.stringify(now[field]) === JSON.stringify(before[field]);
      };
      form.setErrors(Object.fromEntries(Object.entries(form.errors).filter(holds)));
    },
  });
  const [refusal, setRefusal] = useState<unknown>(null);
  const show = (now: Thing, kept: ReadonlySet<string>): void => {
    const values = valuesOf(now);
    form.setInitialValues(values);
    form.setValues(keeping(values, form.getValues(), kept));
  };
  const client = useQueryClient();
  const update = useMutation(api.update());
  const edit = useEdit({
    thing,
    read: (id) => client.fetchQuery({ ...api.one(id), staleTime: 0 }),
    update: update.mutateAsync,
    fieldsOf: (of) => fieldsOf(valuesOf(of), of),
    mineOver: (of) => fieldsOf(form.getValues(), of),
    show,
    onSaved: (saved, kept) => {
      show(saved, kept);
      onSaved(saved);
    },
    onRefused: (error) => setRefusal(applyProblem(form, error, places?.(form.values), whole)),
  });
  return {
    ...edit,
    form,
    refusal,
    save: () => {
      setRefusal(null);
      edit.save();
    },
    reset: () => {
      form.reset();
      setRefusal(null);
    },
  };
}

/** The values, but for some fields that stay as they were typed. */
function keeping<Values extends Record<string, unknown>>(
  values: Values,
  typed: Values,
  fields: ReadonlySet<string>,
): Values {
  const kept: Record<string, unknown> = { ...values };
  for (const field of fields) {
    const [name = '', inner] = field.split('.');
    const within = (of: unknown): unknown => Reflect.get(Object(of), inner ?? '');
    kept[name] = inner === undefined ? typed[name] : { ...Object(kept[name]), [inner]: within(typed[name]) };
  }
  return kept as Values;
}
