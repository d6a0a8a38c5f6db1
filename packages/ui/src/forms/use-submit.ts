import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { applyProblem } from './apply-problem.ts';

interface Submit<Input, Answer> {
  readonly busy: boolean;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  readonly send: (input: Input, then?: (answer: Answer) => void) => void;
  /** What was sent last, and what came back; absent until then. */
  readonly sent: Input | undefined;
  readonly answer: Answer | undefined;
  /** Forgets the refusal and, of the call, everything that was sent. */
  readonly forget: () => void;
}

/** Sends what a form says. The messages of a refusal go to their fields, and what is left of it is kept to be shown. `whole` is as applyProblem has it. */
export function useSubmit<Input, Answer>(
  form: Parameters<typeof applyProblem>[0],
  change: UseMutationOptions<Answer, Error, Input>,
  whole: readonly string[] = [],
): Submit<Input, Answer> {
  const { mutate, isPending, variables, data, reset } = useMutation(change);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    busy: isPending,
    refusal,
    send: (input, then = () => undefined) => {
      setRefusal(null);
      mutate(input, { onSuccess: then, onError: (error) => setRefusal(applyProblem(form, error, {}, whole)) });
    },
    sent: variables,
    answer: data,
    forget: () => {
      setRefusal(null);
      reset();
    },
  };
}
