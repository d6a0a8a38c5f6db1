import { Group, Stack, type StackProps, Title, type TitleOrder } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionProps extends Pick<StackProps, 'gap' | 'mt' | 'miw'> {
  /** Id of the heading: a link can lead there. */
  readonly id: string;
  readonly title: string;
  /** Level of the heading. Default 2. */
  readonly order?: TitleOrder;
  /** Shown beside the heading. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page under a heading. The heading is also its name for screen readers. */
export function Section({ id, title, order = 2, aside, children, ...space }: SectionProps): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby={id} {...space}>
      <Group justify="space-between" gap="xs">
        <Title order={order} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
