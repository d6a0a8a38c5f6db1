import { useDebouncedCallback } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** Typing takes effect when it rests for this long. */
const REST_MS = 250;

/**
 * A text of the address that is typed: what stands in the field, and how to change it. `onRest` puts it into the address
 * when the typing rests, unless the page is being left by then. What the address says by other ways is shown too.
 */
export function useRestedText(text: string, onRest: (text: string) => void): [string, (typed: string) => void] {
  const router = useRouter();
  const place = useRef(router.latestLocation.pathname);
  const own = useRef(text);
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    if (text === own.current) return;
    own.current = text;
    setTyped(text);
  }, [text]);
  const rest = useDebouncedCallback((value: string) => {
    if (router.latestLocation.pathname !== place.current) return;
    own.current = value;
    onRest(value);
  }, REST_MS);
  return [
    typed,
    (value) => {
      setTyped(value);
      rest(value);
    },
  ];
}
