import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef, useState } from 'react';

/** Typing takes effect when it rests for this long. */
const REST_MS = 250;

interface FindFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What is searched, for screen readers. */
  readonly of: string;
}

/**
 * Narrows the list of a page. When the typing rests, what is typed becomes the `text` of the page's address, unless the
 * page is being left by then. What the address says by other ways is shown too.
 */
export function FindField({ of, ...look }: FindFieldProps): ReactElement {
  const { text = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
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
    void navigate({ to: '.', search: value === '' ? {} : { text: value }, replace: true });
  }, REST_MS);
  return (
    <search aria-label={of}>
      <TextInput
        leftSection={<IconSearch size={16} aria-hidden />}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          rest(value);
        }}
        {...look}
      />
    </search>
  );
}
