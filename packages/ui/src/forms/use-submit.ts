import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { applyProblem } from './apply-problem.ts';

interface Submit<Input, Answer> {
  readonly busy: boolean;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  /** @param fields as applyProblem has them. */
  readonly send: (input: Input, then: (answer: Answer) => void, fields?: Readonly<Record<string, string>>) => void;
  /** Forgets the refusal and, of the call, everything that was sent. */
  readonly forget: () => void;
}

/** Sends what a form says. The messages of a refusal go to their fields, and what is left of it is kept to be shown. */
export function useSubmit<Input, Answer>(
  form: Parameters<typeof applyProblem>[0],
  change: UseMutationOptions<Answer, Error, Input>,
): Submit<Input, Answer> {
  const { mutate, isPending, reset } = useMutation(change);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    busy: isPending,
    refusal,
    send: (input, then, fields) => {
      setRefusal(null);
      mutate(input, { onSuccess: then, onError: (error) => setRefusal(applyProblem(form, error, fields)) });
    },
    forget: () => {
      setRefusal(null);
      reset();
    },
  };
}
