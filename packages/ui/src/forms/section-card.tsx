import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface SectionCardProps {
  readonly title: string;
  /** Id of the heading, if something refers to it. */
  readonly id?: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page in a card, under a heading. */
export function SectionCard({ title, id, description, children }: SectionCardProps): ReactElement {
  return (
    <Card component="section" aria-label={title}>
      <Title id={id}>{title}</Title>
      {description && <Text c="dimmed">{description}</Text>}
      <Stack gap="md" mt="md">
        {children}
      </Stack>
    </Card>
  );
}
