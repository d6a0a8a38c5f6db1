import { Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { CatalogItem } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { many } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

/** The available kinds of destination. */
export function CatalogPage(): ReactElement {
  const catalog = useQuery(destinationsApi.catalog());
  const destinations = useQuery(destinationsApi.list());
  const items = catalog.data;
  const failed = [catalog, destinations].find(({ error, data }) => error && !data);
  return (
    <>
      <PageHeader title="Catalog" description="Where events can go. Choose one to set it up, step by step." />
      {failed?.error && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md" aria-busy={catalog.isPending}>
        {catalog.isPending && <Skeleton height={260} />}
        {items?.map((item) => (
          <CatalogCard
            key={item.name}
            item={item}
            made={destinations.data?.filter(({ type }) => type === item.name).length}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

interface CatalogCardProps {
  readonly item: CatalogItem;
  /** How many destinations of this kind exist; undefined while that is not known. */
  readonly made: number | undefined;
}

function CatalogCard({ item: { name, description, messageTypes }, made }: CatalogCardProps): ReactElement {
  const mayChange = useMayChange();
  return (
    <Card component="section" aria-label={name} padding="lg">
      <Stack gap="md" h="100%">
        <Group gap="md" wrap="nowrap" align="flex-start">
          <ThemeIcon variant="light" size={48} radius="md">
            <IconWebhook size={26} stroke={1.5} aria-hidden />
          </ThemeIcon>
          <div>
            <Title>{name}</Title>
            <Text c="dimmed">
              {made === undefined ? '\u00a0' : made === 0 ? 'None set up yet' : <MadeLink made={made} />}
            </Text>
          </div>
        </Group>
        <Text>{description}</Text>
        <Stack gap={6}>
          <Text size="xs" fw={600} c="dimmed">
            Takes
          </Text>
          <Group gap={6}>
            {messageTypes.map((type) => (
              <Badge key={type} color="gray" tt="none" fw={500}>
                {type}
              </Badge>
            ))}
          </Group>
        </Stack>
        <Group mt="auto">
          {mayChange ? (
            <ButtonLink to="/catalog/webhooks/new">Set up {name}</ButtonLink>
          ) : (
            <Text c="dimmed">Only an admin may set up a destination.</Text>
          )}
        </Group>
      </Stack>
    </Card>
  );
}

function MadeLink({ made }: { readonly made: number }): ReactElement {
  return <AnchorLink to="/destinations">{many(made, 'destination')} set up</AnchorLink>;
}
