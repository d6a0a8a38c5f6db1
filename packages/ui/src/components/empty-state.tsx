import { Card, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ComponentType, ReactElement, ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly title: string;
  /** Why the list is empty, and how to get an entry. */
  readonly children?: ReactNode;
  /** A link or button that does it. */
  readonly action?: ReactNode;
  /** True: without the card around it. */
  readonly bare?: boolean;
}

/** Shown in place of an empty list. */
export function EmptyState({ icon: Icon, title, children, action, bare = false }: EmptyStateProps): ReactElement {
  const said = (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={52} radius="xl">
        <Icon size={26} stroke={1.5} aria-hidden />
      </ThemeIcon>
      <Title size="h3">{title}</Title>
      {children && (
        <Text component="div" c="dimmed" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
  return bare ? said : <Card padding={0}>{said}</Card>;
}
