import { Anchor, Stack } from '@mantine/core';
import type { ReactElement, RefObject } from 'react';
import type { FieldError } from '../../../server/src/admin/contract.ts';

interface LineErrorsProps {
  readonly errors: readonly FieldError[];
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

/** The errors of a text, by line. Each one leads to its line. */
export function LineErrors({ errors, input }: LineErrorsProps): ReactElement {
  return (
    <Stack component="span" gap={4} fz={13} role="alert">
      {errors.map(({ path, message, line }) => (
        <span key={`${line} ${path} ${message}`}>
          {line !== undefined && (
            <>
              <Anchor
                component="button"
                type="button"
                inherit
                fw={600}
                c="inherit"
                onClick={() => goTo(input.current, line)}
              >
                Line {line}
              </Anchor>
              {': '}
            </>
          )}
          {path !== '' && <code>{path} </code>}
          {message}
        </span>
      ))}
    </Stack>
  );
}

/** Selects the line and scrolls to it. */
function goTo(input: HTMLTextAreaElement | null, line: number): void {
  if (!input) return;
  const lines = input.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((length, text) => length + text.length + 1, 0);
  input.focus();
  input.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  input.scrollTop = (input.scrollHeight * (line - 1)) / lines.length - input.clientHeight / 3;
}
