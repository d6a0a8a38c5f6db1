import { Box, Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';
import { Mark } from './wordmark.tsx';

interface EntranceProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages before the sign-in. */
export function Entrance({ title, description, children }: EntranceProps): ReactElement {
  useDocumentTitle(`${title} · Millrace`);
  return (
    <Center
      component="main"
      mih="100dvh"
      px="md"
      py={24}
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm" justify="center" wrap="nowrap">
          <Mark size={36} />
          <Text fz={24} fw={700} lts="-0.01em">
            Millrace
          </Text>
        </Group>
        <Card padding="xl">
          <Title order={1} size={20}>
            {title}
          </Title>
          {description && (
            <Text c="dimmed" mt={4}>
              {description}
            </Text>
          )}
          <Box mt={20}>{children}</Box>
        </Card>
        <Text variant="aside" ta="center">
          {window.location.host}
        </Text>
      </Stack>
    </Center>
  );
}
