import { Skeleton } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader, type PageHeaderProps } from '../components/page-header.tsx';
import { type Listed, NotFound } from './not-found-page.tsx';

export interface DetailPageProps<Thing> extends PageHeaderProps {
  readonly kind: Listed;
  /** As the address has it. */
  readonly id: string;
  /** What was known before an error stays, below the error. */
  readonly query: { readonly data: Thing | undefined; readonly error: Error | null; readonly refetch: () => unknown };
  /** Why nothing may have the id, where there is more to say. */
  readonly missing?: ReactNode;
  /** Above what was found: tabs. */
  readonly above?: ReactNode;
  /** px, of what stands there until it is found; default 420. */
  readonly height?: number;
  readonly children: (thing: Thing) => ReactNode;
}

/** The page of one thing of a list, from its id: the way back, the thing, or why it can't be shown. */
export function DetailPage<Thing>(props: DetailPageProps<Thing>): ReactElement {
  const { kind, id, query, missing, above, height = 420, children, ...header } = props;
  const { data, error, refetch } = query;
  if (isMissing(error)) {
    return (
      <NotFound kind={kind} id={id}>
        {missing}
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader back={<AnchorLink to={kind.list}>{kind.plural}</AnchorLink>} {...header} />
      {above}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data ? children(data) : !error && <Skeleton height={height} />}
    </>
  );
}
