import type { UseFormReturnType } from '@mantine/form';
import type { Destination, DestinationChange } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { notifyDone } from '../../components/notify.ts';
import { useSubmit } from '../../forms/use-submit.ts';

interface Change {
  readonly busy: boolean;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  /**
   * Saves a part of the settings, and says so in these words.
   *
   * @param done what the form does then; by default what it shows is what it began with.
   * @param fields as applyProblem has them.
   */
  readonly save: (
    change: DestinationChange,
    words: string,
    more?: { readonly done?: () => void; readonly fields?: Readonly<Record<string, string>> },
  ) => void;
  /** Back to what the form began with. */
  readonly reset: () => void;
}

/** Saves one part of a destination's settings. */
export function useChange<Values>(destination: Destination, form: UseFormReturnType<Values>): Change {
  const { busy, refusal, send, forget } = useSubmit(form, destinationsApi.update());
  return {
    busy,
    refusal,
    save: (change, words, { done = () => form.resetDirty(), fields } = {}) => {
      const saved = (): void => {
        done();
        notifyDone(words);
      };
      send({ id: destination.id, ...change }, saved, fields);
    },
    reset: () => {
      form.reset();
      forget();
    },
  };
}
