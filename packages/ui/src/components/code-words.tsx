import { Code } from '@mantine/core';
import type { ReactElement } from 'react';

/** A sentence of the documentation, with the parts between backticks as code. */
export function CodeWords({ text }: { readonly text: string }): ReactElement {
  return <>{[...text.matchAll(/`([^`]+)`|[^`]+/g)].map(part)}</>;
}

function part({ 0: whole, 1: code, index }: RegExpExecArray): ReactElement | string {
  return code === undefined ? whole : <Code key={index}>{code}</Code>;
}
