import { Box, Skeleton } from '@mantine/core';
import { upperFirst } from '@mantine/hooks';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader, type PageHeaderProps } from '../components/page-header.tsx';
import { NotFound } from './not-found-page.tsx';
import type { Listed } from './things.ts';

export interface DetailPageProps<Thing> extends Partial<PageHeaderProps> {
  readonly kind: Listed;
  /** Asks for the thing of an id. After an error, the data loaded before stays below the error. */
  readonly one: (id: string) => UseQueryOptions<Thing>;
  /** The parts of the header that need the thing. */
  readonly header: (thing: Thing) => Partial<PageHeaderProps>;
  /** Explains why the id may not exist, if there is more to say. */
  readonly missing?: ReactNode;
  /** Shown above the content: tabs. The thing is undefined while it loads. */
  readonly above?: (thing: Thing | undefined) => ReactNode;
  readonly children: (thing: Thing) => ReactNode;
}

/** The page of one thing of a list, by the `$id` in the address: the link back, and the thing, or why it can't be shown. */
export function DetailPage<Thing>(props: DetailPageProps<Thing>): ReactElement {
  const { kind, one, header, missing, above, children, ...before } = props;
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(one(id));
  if (isMissing(error)) {
    return (
      <NotFound kind={kind} id={id}>
        {missing}
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader
        back={<AnchorLink to={kind.list}>{kind.plural}</AnchorLink>}
        title={upperFirst(kind.noun)}
        {...before}
        {...(data && header(data))}
      />
      {above?.(data)}
      {error && (
        <Box mb={data ? 'md' : 0}>
          <ErrorState error={error} onRetry={() => void refetch()} />
        </Box>
      )}
      {data ? children(data) : !error && <Skeleton height={420} />}
    </>
  );
}
