import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useRestedText } from './use-rested-text.ts';

interface FindFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What the field searches, for screen readers. */
  readonly of: string;
}

/** Narrows the list of a page. After a pause in typing, the text becomes `text` in the page's address. */
export function FindField({ of, ...look }: FindFieldProps): ReactElement {
  const { text = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [typed, type] = useRestedText(text, (value) => {
    void navigate({ to: '.', search: { text: value }, replace: true });
  });
  return (
    <search aria-label={of}>
      <TextInput
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(typing) => type(typing.currentTarget.value)}
        {...look}
      />
    </search>
  );
}
