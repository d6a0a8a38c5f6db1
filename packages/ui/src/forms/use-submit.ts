import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { applyProblem } from './apply-problem.ts';

/** The `mutationKey` of the calls of forms. */
export const OF_FORMS = ['forms'];

interface Submit<Input, Answer> {
  /** True until the call, and what follows its answer, has ended. */
  readonly busy: boolean;
  /** The error that belongs to no field; null if there is none. */
  readonly refusal: unknown;
  readonly send: (input: Input, then?: (answer: Answer) => unknown) => void;
  /** The input and the answer of the last call; absent before the first. */
  readonly sent: Input | undefined;
  readonly answer: Answer | undefined;
  /** Clears the error, and the input and answer of the last call. */
  readonly forget: () => void;
}

/** Submits a form. The messages of a refusal go to their fields; `refusal` keeps the rest. `whole` is that of applyProblem. */
export function useSubmit<Input, Answer>(
  form: Parameters<typeof applyProblem>[0],
  change: UseMutationOptions<Answer, Error, Input>,
  whole: readonly string[] = [],
): Submit<Input, Answer> {
  const { mutateAsync, variables, data, reset } = useMutation({ ...change, mutationKey: OF_FORMS });
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    busy,
    refusal,
    send: (input, then = () => undefined) => {
      setBusy(true);
      setRefusal(null);
      // Not the callbacks of `mutate`: they are dropped if the queries that are sent again take the form from the page.
      void mutateAsync(input)
        .then(then, (error: unknown) => setRefusal(applyProblem(form, error, whole)))
        .finally(() => setBusy(false));
    },
    sent: variables,
    answer: data,
    forget: () => {
      setRefusal(null);
      reset();
    },
  };
}
