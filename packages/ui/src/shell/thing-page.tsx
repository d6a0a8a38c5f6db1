import { Skeleton } from '@mantine/core';
import { type LinkProps, Outlet, useParams } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { TabLinks } from '../components/tab-links.tsx';
import { DetailPage, type DetailPageProps } from './detail-page.tsx';
import { useMayOpen } from './session.ts';

/** A tab: its path below that of the thing, and its name. `false`: not shown. */
export type Tab = readonly [path: '' | `/${string}`, label: string] | false;

interface ThingPageProps<Thing> extends Pick<DetailPageProps<Thing>, 'kind' | 'one' | 'header'> {
  readonly tabs: (thing: Thing | undefined) => readonly Tab[];
}

/** The page of one thing with a name. Its tabs have their own addresses, and are shown once the thing is loaded. */
export function ThingPage<Thing extends { readonly name: string }>(props: ThingPageProps<Thing>): ReactElement {
  const { kind, one, header, tabs } = props;
  const { id = '' } = useParams({ strict: false });
  const mayOpen = useMayOpen();
  const links = (thing: Thing | undefined) =>
    tabs(thing)
      .filter((tab) => tab !== false)
      .map(([path, label]) => ({
        label,
        exact: path === '',
        link: { to: `${kind.list}/$id${path}`, params: { id } } as LinkProps,
      }))
      .filter(({ link }) => mayOpen(link));
  return (
    <DetailPage
      kind={kind}
      one={one}
      header={(thing) => ({ title: thing.name, ...header(thing) })}
      above={(thing) => <TabLinks label={`Parts of the ${kind.noun}`} tabs={links(thing)} />}
    >
      {() => (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      )}
    </DetailPage>
  );
}
