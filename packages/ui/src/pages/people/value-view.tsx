import { Code } from '@mantine/core';
import type { ReactElement } from 'react';

/** A value as calls gave it: texts as they are, everything else as JSON, so that `12` and “12” differ. */
export function ValueView({ value }: { readonly value: unknown }): ReactElement {
  if (typeof value === 'string' && value.trim() !== '') return <span>{value}</span>;
  return <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{JSON.stringify(value)}</Code>;
}
