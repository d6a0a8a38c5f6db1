import { Alert, Anchor, Card, Grid, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { documentApi } from '../../api/document.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CodeWords } from '../../components/code-words.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { many } from '../../format/number.ts';
import classes from './api-docs-page.module.css';
import { type OpenApiDocument, search, type Tag, tagsOf } from './openapi.ts';
import { OperationView } from './operation-view.tsx';

const route = getRouteApi('/shell/api-docs');

/** The docs of both APIs, from the service's own OpenAPI document. The address holds the open operation. */
export function ApiDocsPage(): ReactElement {
  const { operation: id } = route.useSearch();
  const { data, error, refetch } = useQuery(documentApi.openapi<OpenApiDocument>());
  const tags = useMemo(() => (data ? tagsOf(data) : []), [data]);
  const operation = tags.flatMap(({ operations }) => operations).find((one) => one.id === id);

  // Another operation counts as another page: its heading is focused, and scrolled into view if the list is above it.
  useDidUpdate(() => document.getElementById('operation')?.focus(), [id]);

  return (
    <>
      <PageHeader
        title="API docs"
        documentTitle={operation ? `${operation.summary} · API docs` : 'API docs'}
        description="The admin API and the collection API, with every call ready to be tried."
      />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Stack gap="sm" aria-busy>
          <Skeleton height={36} width={280} />
          <Skeleton height={240} />
        </Stack>
      )}
      {data && (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 4, xl: 3 }}>
            <OperationList tags={tags} current={id} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8, xl: 9 }}>
            {operation ? (
              <OperationView key={operation.id} operation={operation} schemas={data.components.schemas} />
            ) : (
              <Introduction document={data} tags={tags} unknown={id} />
            )}
          </Grid.Col>
        </Grid>
      )}
    </>
  );
}

interface IntroductionProps {
  readonly document: OpenApiDocument;
  readonly tags: readonly Tag[];
  /** Id of an operation in the address that does not exist. */
  readonly unknown: string | undefined;
}

/** What the APIs are for, how to authenticate, and the list of operations. */
function Introduction({ document: { info, components }, tags, unknown }: IntroductionProps): ReactElement {
  return (
    <Stack gap="lg">
      {unknown !== undefined && (
        <Alert color="yellow" title={`There is no operation “${unknown}”`}>
          The link may be of another version. This is {info.version}.
        </Alert>
      )}
      <Text maw={760}>
        <CodeWords text={info.description} />
      </Text>
      <Section id="who" title="Who calls">
        <Card>
          <Stack gap="sm">
            {Object.entries(components.securitySchemes).map(([name, { description }]) => (
              <div key={name}>
                <Text fw={600}>{name}</Text>
                <Text c="dimmed">
                  <CodeWords text={description} />
                </Text>
              </div>
            ))}
            <CodeBlock
              label="call of the admin API"
              code={`curl ${window.location.origin}/api/sources \\\n  -H "Authorization: Bearer $MILLRACE_ADMIN_TOKEN"`}
            />
            <Text>
              <Anchor href="/api/openapi.json" download="openapi.json" inherit>
                Download the OpenAPI document
              </Anchor>
            </Text>
          </Stack>
        </Card>
      </Section>
      <Section id="what" title="What there is">
        <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="sm">
          {tags.map(({ name, description, operations }) => (
            <Card key={name}>
              <AnchorLink to="/api-docs" search={{ operation: operations[0]?.id ?? '' }} fw={600}>
                {name}
              </AnchorLink>
              <Text c="dimmed">{description}</Text>
              <Text variant="aside" mt={4}>
                {many(operations.length, 'operation')}
              </Text>
            </Card>
          ))}
        </SimpleGrid>
      </Section>
    </Stack>
  );
}

interface OperationListProps {
  readonly tags: readonly Tag[];
  /** Id of the operation that is open. */
  readonly current: string | undefined;
}

/** All operations by tag. A search keeps the operations that contain all its words. */
function OperationList({ tags, current }: OperationListProps): ReactElement {
  const [query, setQuery] = useState('');
  const found = search(tags, query);
  const list = useRef<HTMLElement>(null);

  // After a link to an operation, the list scrolls to it. The page itself does not scroll.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && link) list.current.scrollTop = link.offsetTop - list.current.offsetTop - 80;
  }, []);

  return (
    <div className={classes['list']}>
      <TextInput
        type="search"
        aria-label="Search the operations"
        placeholder="Search"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={query}
        onChange={({ currentTarget: { value } }) => setQuery(value)}
      />
      <nav ref={list} className={classes['operations']} aria-label="Operations">
        {found.map(({ name, operations }) => (
          <div key={name}>
            <Text size="xs" fw={600} c="dimmed" tt="uppercase" lts="0.02em" px={8}>
              {name}
            </Text>
            <ul>
              {operations.map(({ id, method, summary }) => (
                <li key={id}>
                  <Link
                    to="/api-docs"
                    search={{ operation: id }}
                    className={classes['operation'] ?? ''}
                    aria-current={id === current ? 'page' : undefined}
                    resetScroll={false}
                  >
                    <span className={classes['method']} data-method={method}>
                      {method}
                    </span>
                    {summary}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {found.length === 0 && (
          <Text c="dimmed" p="xs" role="status">
            No operation has these words.
          </Text>
        )}
      </nav>
    </div>
  );
}
