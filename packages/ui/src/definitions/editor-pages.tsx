import { upperFirst } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { AnchorLink } from '../components/anchor-link.tsx';
import { PageHeader, type PageHeaderProps } from '../components/page-header.tsx';
import { DetailPage } from '../shell/detail-page.tsx';
import { ForAdmins } from '../shell/for-admins.tsx';
import { DefinitionForm, type EditedKind } from './definition-form.tsx';

export type EditorPages = Readonly<Record<'New' | 'Edit', () => ReactElement>>;

/** The pages that create and change audiences or computed traits. */
export function editorPages<Preview extends { key: string | null }>(kind: EditedKind<Preview>): EditorPages {
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
    const titles = (name: string): Partial<PageHeaderProps> => ({
      back: (
        <AnchorLink to={`${kind.list}/$id` as const} params={{ id }}>
          {name}
        </AnchorLink>
      ),
      documentTitle: `Edit ${name}`,
    });
    return (
      <DetailPage
        kind={kind}
        one={kind.api.one}
        title={`Edit ${kind.noun}`}
        {...titles(upperFirst(kind.noun))}
        header={({ name }) => titles(name)}
      >
        {(existing) => (
          <ForAdmins title={`Only admins change ${plural}`}>
            <DefinitionForm kind={kind} existing={existing} />
          </ForAdmins>
        )}
      </DetailPage>
    );
  }

  return { New, Edit };
}
