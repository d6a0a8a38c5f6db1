import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';
import classes from './entrance.module.css';
import { Mark } from './wordmark.tsx';

interface EntranceProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages before one is signed in. */
export function Entrance({ title, description, children }: EntranceProps): ReactElement {
  useDocumentTitle(`${title} · Millrace`);
  return (
    <main className={classes['page']}>
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
          <div className={classes['body']}>{children}</div>
        </Card>
        <Text variant="aside" ta="center">
          {window.location.host}
        </Text>
      </Stack>
    </main>
  );
}
