import { useDebouncedCallback } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Milliseconds without typing after which a text takes effect. */
const REST_MS = 250;

/**
 * The text of a field that narrows a list, and the function that types into it. `apply` is called after a pause in
 * typing, unless the page is left before. If `text` changes in another way, the field shows it.
 */
export function useRestedText(
  text: string,
  apply: (text: string) => void,
): [typed: string, type: (to: string) => void] {
  const router = useRouter();
  const place = useRef(router.latestLocation.pathname);
  const own = useRef(text);
  const [typed, setTyped] = useState(text);
  const rest = useDebouncedCallback((value: string) => {
    if (router.latestLocation.pathname !== place.current) return;
    own.current = value;
    apply(value);
  }, REST_MS);
  useEffect(() => {
    if (text === own.current) return;
    own.current = text;
    rest.cancel();
    setTyped(text);
  }, [text, rest]);
  const type = (to: string): void => {
    setTyped(to);
    rest(to);
  };
  return [typed, type];
}
