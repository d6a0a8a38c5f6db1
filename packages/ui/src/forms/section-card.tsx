import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionCardProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** One part of a page with settings. */
export function SectionCard({ title, description, children }: SectionCardProps): ReactElement {
  return (
    <Card component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      {description && <Text c="dimmed">{description}</Text>}
      <Stack gap="md" mt="md">
        {children}
      </Stack>
    </Card>
  );
}
