import { type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import { problemFrom } from '../api/problem.ts';
import { isAboutDefinition } from '../conditions/use-problems.ts';
import { applyProblem } from '../forms/apply-problem.ts';
import type { Defined } from './kinds.ts';

export interface Basics {
  readonly name: string;
  /** Empty for the one that is made of the name. */
  readonly key: string;
  readonly destinationIds: string[];
}

export interface BasicsForm {
  readonly form: UseFormReturnType<Basics>;
  /** What was refused of the definition; null when nothing was, or when it was changed since. */
  readonly refusedDefinition: unknown;
  /** What belongs to no field. */
  readonly refusal: unknown;
  /** Puts a refusal's messages at their places. */
  readonly refuse: (error: unknown) => void;
  readonly forget: () => void;
}

/**
 * What a definition has beside itself: name, key, destinations.
 *
 * @param definition as text.
 */
export function useBasics(existing: Defined | null, definition: string): BasicsForm {
  const form = useForm<Basics>({
    initialValues: {
      name: existing?.name ?? '',
      key: existing?.key ?? '',
      destinationIds: existing?.destinationIds ?? [],
    },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  });
  const [refused, setRefused] = useState<{ readonly error: unknown; readonly of: string } | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    form,
    refusal,
    refusedDefinition: refused?.of === definition ? (refused?.error ?? null) : null,
    refuse: (error) => {
      setRefused({ error, of: definition });
      const left = applyProblem(form, error);
      const { errors } = problemFrom(error);
      setRefusal(errors.length > 0 && errors.every(({ path }) => hasPlace(path)) ? null : left);
    },
    forget: () => {
      setRefused(null);
      setRefusal(null);
    },
  };
}

function hasPlace(path: string): boolean {
  return isAboutDefinition(path) || path === 'name' || path === 'key';
}
