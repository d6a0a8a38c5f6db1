import { Skeleton } from '@mantine/core';
import { upperFirst } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { type TabLink, TabLinks } from '../components/tab-links.tsx';
import { DetailPage, type DetailPageProps } from './detail-page.tsx';

interface ThingPageProps extends Omit<DetailPageProps<{ readonly name: string }>, 'title' | 'above' | 'children'> {
  readonly tabs: readonly TabLink[];
}

/** The page of one thing with a name; its parts are tabs with an address of their own, shown once the thing is there. */
export function ThingPage({ tabs, ...props }: ThingPageProps): ReactElement {
  const { kind, query } = props;
  return (
    <DetailPage
      {...props}
      title={query.data?.name ?? upperFirst(kind.noun)}
      above={<TabLinks label={`Parts of the ${kind.noun}`} tabs={tabs} />}
    >
      {() => (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      )}
    </DetailPage>
  );
}
