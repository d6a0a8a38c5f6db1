import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import type { ToPreview } from '../api/definitions.ts';

/** Long enough to type a word, short enough to feel live; milliseconds. */
const PAUSE = 350;

export interface LivePreview<Preview> {
  /** The newest there is: of an earlier definition while `isCounting`. */
  readonly preview: Preview | undefined;
  readonly isCounting: boolean;
  /** Of the definition as it is now. */
  readonly error: unknown;
}

/**
 * What a definition gives while it is edited: asked for when the typing pauses. The question before is called off.
 *
 * @param of what kind of definition it is.
 * @param body null while it has gaps.
 */
export function useLivePreview<Preview>(
  of: string,
  body: ToPreview | null,
  ask: (body: ToPreview, signal: AbortSignal) => Promise<Preview>,
): LivePreview<Preview> {
  const text = JSON.stringify(body);
  const [paused] = useDebouncedValue(text, PAUSE);
  const asked = JSON.parse(paused) as ToPreview | null;
  const { data, error, isFetching } = useQuery({
    queryKey: ['preview', of, asked],
    queryFn: asked === null ? skipToken : ({ signal }) => ask(asked, signal),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const isBehind = paused !== text;
  return {
    preview: data,
    isCounting: body !== null && (isBehind || isFetching),
    error: isBehind || body === null ? null : error,
  };
}
