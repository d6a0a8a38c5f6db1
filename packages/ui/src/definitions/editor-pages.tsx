import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { isMissing } from '../api/problem.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { capitalized } from '../format/capitalized.ts';
import { ForAdmins } from '../shell/for-admins.tsx';
import { NotFound } from '../shell/not-found-page.tsx';
import { DefinitionForm, type EditedKind } from './definition-form.tsx';
import type { Defined } from './kinds.ts';

export type EditorPages = Readonly<Record<'New' | 'Edit', () => ReactElement>>;

/** The pages that make and change audiences or computed traits. */
export function editorPages<Thing extends Defined, Draft, Preview extends { key: string | null }>(
  kind: EditedKind<Thing, Draft, Preview>,
): EditorPages {
  const plural = kind.plural.toLowerCase();

  function New(): ReactElement {
    return (
      <>
        <PageHeader
          back={<AnchorLink to={kind.list}>{kind.plural}</AnchorLink>}
          title={`New ${kind.noun}`}
          description={`${kind.aboutNew} Nothing is sent before you create it.`}
        />
        <ForAdmins title={`Only admins change ${plural}`}>
          <DefinitionForm kind={kind} existing={null} />
        </ForAdmins>
      </>
    );
  }

  function Edit(): ReactElement {
    const { id = '' } = useParams({ strict: false });
    const { data, error, refetch } = useQuery(kind.api.one(id));
    if (isMissing(error)) {
      return <NotFound kind={kind} id={id} />;
    }
    return (
      <>
        <PageHeader
          back={
            <AnchorLink to={kind.one} params={{ id }}>
              {data?.name ?? capitalized(kind.noun)}
            </AnchorLink>
          }
          title={`Edit ${kind.noun}`}
          documentTitle={`Edit ${data?.name ?? kind.noun}`}
        />
        <ForAdmins title={`Only admins change ${plural}`}>
          {data ? (
            <DefinitionForm kind={kind} existing={data} />
          ) : error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Skeleton height={420} />
          )}
        </ForAdmins>
      </>
    );
  }

  return { New, Edit };
}
