import { Skeleton, Stack } from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { documentApi } from '../../api/document.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import classes from './api-docs-page.module.css';
import { Introduction } from './introduction.tsx';
import { type OpenApiDocument, tagsOf } from './openapi.ts';
import { OperationList } from './operation-list.tsx';
import { OperationView } from './operation-view.tsx';

const route = getRouteApi('/shell/api-docs');

/** Both APIs, from the document that the service itself makes. Which operation is open stands in the address. */
export function ApiDocsPage(): ReactElement {
  const { operation: id } = route.useSearch();
  const { data, error, refetch } = useQuery(documentApi.openapi<OpenApiDocument>());
  const tags = useMemo(() => (data ? tagsOf(data) : []), [data]);
  const operation = tags.flatMap(({ operations }) => operations).find((one) => one.id === id);

  // Another operation is like another page: its heading takes the focus, and comes into sight where the list is above it.
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
        <div className={classes['panes']}>
          <OperationList tags={tags} current={id} />
          <div className={classes['content']}>
            {operation ? (
              <OperationView key={operation.id} operation={operation} schemas={data.components?.schemas ?? {}} />
            ) : (
              <Introduction document={data} tags={tags} unknown={id} />
            )}
          </div>
        </div>
      )}
    </>
  );
}
