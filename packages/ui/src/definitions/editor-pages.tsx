import { Box, Group, List, Text, VisuallyHidden } from '@mantine/core';
import { upperFirst } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { AudiencePreview, ComputedTraitPreview } from '../../../server/src/admin/contract.ts';
import { share } from '../../../server/src/core/share.ts';
import { audiencesApi, type Defined, traitsApi } from '../api/definitions.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { PageHeader, type PageHeaderProps } from '../components/page-header.tsx';
import { PersonLink } from '../components/person-link.tsx';
import { ComputationBuilder } from '../conditions/computation-builder.tsx';
import { ConditionBuilder } from '../conditions/condition-builder.tsx';
import { newComputation, newCondition, newGroup } from '../conditions/draft.ts';
import { readCondition, readTrait } from '../conditions/read.ts';
import { count } from '../format/number.ts';
import { DetailPage } from '../shell/detail-page.tsx';
import { ForAdmins } from '../shell/for-admins.tsx';
import { DefinitionForm, type EditedKind } from './definition-form.tsx';
import { AUDIENCE, TRAIT, useKind } from './kinds.tsx';
import { PreviewCard, type PreviewProps } from './preview-card.tsx';

/** The page of a new audience or computed trait. */
export function New(): ReactElement {
  const { list, plural, noun, aboutNew } = useKind();
  return (
    <>
      <PageHeader
        back={<AnchorLink to={list}>{plural}</AnchorLink>}
        title={`New ${noun}`}
        description={`${aboutNew} Nothing is sent before you create it.`}
      />
      <Editor existing={null} />
    </>
  );
}

/** The page that changes an audience or a computed trait. */
export function Edit(): ReactElement {
  const kind = useKind();
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
      {(existing) => <Editor existing={existing} />}
    </DetailPage>
  );
}

const OF_AUDIENCES: EditedKind<AudiencePreview> = {
  kind: AUDIENCE,
  api: audiencesApi,
  read: readCondition,
  blank: () => newGroup('all', [newCondition()]),
  Builder: ConditionBuilder,
  Preview: AudiencePreviewCard,
};

const OF_TRAITS: EditedKind<ComputedTraitPreview> = {
  kind: TRAIT,
  api: traitsApi,
  read: readTrait,
  blank: newComputation,
  Builder: ComputationBuilder,
  Preview: TraitPreviewCard,
};

function Editor(props: { readonly existing: Defined | null }): ReactElement {
  const kind = useKind();
  return (
    <ForAdmins title={`Only admins change ${kind.plural.toLowerCase()}`}>
      {kind === AUDIENCE ? (
        <DefinitionForm {...OF_AUDIENCES} {...props} />
      ) : (
        <DefinitionForm {...OF_TRAITS} {...props} />
      )}
    </ForAdmins>
  );
}

/** How many persons would be in the audience now, and some of them. */
function AudiencePreviewCard({ live, hindrance }: PreviewProps<AudiencePreview>): ReactElement {
  return (
    <PreviewCard title="Live size" live={live} hindrance={hindrance}>
      {({ size, persons, sample }) => (
        <>
          <Text fz={34} fw={700} lh={1.25} aria-hidden>
            {count(size)}
          </Text>
          <VisuallyHidden role="status">
            {live.isCounting || hindrance !== null ? '' : `${count(size)} of ${count(persons)} persons`}
          </VisuallyHidden>
          <Text c="dimmed">
            {persons === 0
              ? 'No person is known yet: send calls first.'
              : `${share(size, persons)} of ${count(persons)} persons`}
          </Text>
          {sample.length > 0 && (
            <Box visibleFrom="lg">
              <Text size="xs" fw={600} c="dimmed" tt="uppercase" lts="0.02em" mt="sm" mb={4}>
                Some of them
              </Text>
              <List listStyleType="none" spacing={2} aria-label="Some of them">
                {sample.map((person) => (
                  <List.Item key={person.id}>
                    <PersonLink {...person} />
                  </List.Item>
                ))}
              </List>
            </Box>
          )}
        </>
      )}
    </PreviewCard>
  );
}

/** The values that some persons would have now. */
function TraitPreviewCard({ live, hindrance }: PreviewProps<ComputedTraitPreview>): ReactElement {
  return (
    <PreviewCard title="Live values" live={live} hindrance={hindrance}>
      {({ sample }) =>
        sample.length === 0 ? (
          <Text c="dimmed">None of the persons that were looked at has a value.</Text>
        ) : (
          <List listStyleType="none" spacing={6} aria-label="Values of some persons">
            {sample.map((person, i) => (
              // If the preview stands above the form, it shows only a few values.
              <List.Item
                key={person.id}
                styles={{ itemWrapper: { display: 'block' } }}
                {...(i > 2 && { visibleFrom: 'lg' })}
              >
                <Group justify="space-between" gap="xs" align="baseline">
                  <span>
                    <PersonLink {...person} />
                  </span>
                  <Text span ff="monospace" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                    {JSON.stringify(person.value)}
                  </Text>
                </Group>
              </List.Item>
            ))}
          </List>
        )
      }
    </PreviewCard>
  );
}
