import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Destination, DestinationChange } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { notifyDone } from '../../components/notify.ts';

interface Change {
  readonly busy: boolean;
  /** What the form has no field for; null when there is nothing. */
  readonly refusal: unknown;
  /**
   * @param place puts the messages at their fields, and answers what is left of them.
   * @param then what the form does with the destination as it is now.
   */
  readonly save: (
    change: DestinationChange,
    words: string,
    place: (error: unknown) => unknown,
    then: (saved: Destination) => void,
  ) => void;
  readonly forget: () => void;
}

/** Saves one part of a destination's settings. */
export function useChange(id: string): Change {
  const update = useMutation(destinationsApi.update());
  const [refusal, setRefusal] = useState<unknown>(null);
  return {
    busy: update.isPending,
    refusal,
    save: (change, words, place, then) => {
      setRefusal(null);
      update.mutate(
        { id, ...change },
        {
          onSuccess: (saved) => {
            then(saved);
            notifyDone(words);
          },
          onError: (error) => setRefusal(place(error)),
        },
      );
    },
    forget: () => setRefusal(null),
  };
}
