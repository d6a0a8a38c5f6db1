import { Stack, type StackProps, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionProps extends Pick<StackProps, 'gap' | 'mt'> {
  /** Of its heading: a link can lead there. */
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}

/** One part of a page under a heading, which names it for screen readers too. */
export function Section({ id, title, children, ...space }: SectionProps): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby={id} {...space}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
