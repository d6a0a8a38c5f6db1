import { Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

/** A label and its value, in a `dl`. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <Text component="dt" variant="aside">
        {label}
      </Text>
      <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}
