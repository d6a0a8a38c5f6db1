import { Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';

export interface PageHeaderProps {
  /** The page's only h1 heading, and the document's title. */
  readonly title: string;
  /** The document's title, if the heading alone does not identify the page. */
  readonly documentTitle?: string;
  readonly description?: ReactNode;
  /** Above the heading: the link back to the list. */
  readonly back?: ReactNode;
  /** Beside the heading: a badge. */
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
}

/** The top of every page. Render it at once, while the page's data is still loading: it takes the focus. */
export function PageHeader({ title, documentTitle, description, back, badge, actions }: PageHeaderProps): ReactElement {
  useDocumentTitle(`${documentTitle ?? title} · Millrace`);
  return (
    <Box mb="md">
      {back && <Box mb={4}>{back}</Box>}
      <Group justify="space-between" align="flex-end" gap="sm">
        <Box miw={0} flex="1 1 280px">
          <Group gap="sm" wrap="wrap">
            <Title order={1} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {badge}
          </Group>
          {description && (
            <Text c="dimmed" mt={2}>
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </Box>
  );
}
