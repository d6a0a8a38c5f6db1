import { Code } from '@mantine/core';
import type { ReactElement } from 'react';

/** A sentence of the documentation, with what stands between backticks as code. */
export function CodeWords({ text }: { readonly text: string }): ReactElement {
  return <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <Code key={`${i} ${part}`}>{part}</Code>))}</>;
}
