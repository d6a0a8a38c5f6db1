import { Group, List, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ComputedTraitPreview } from '../../../../server/src/admin/contract.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { ComputationBuilder } from '../../conditions/computation-builder.tsx';
import { newComputation } from '../../conditions/draft.ts';
import { readTrait } from '../../conditions/read.ts';
import { type EditorPages, editorPages } from '../../definitions/editor-pages.tsx';
import { PreviewCard, type PreviewProps } from '../../definitions/preview-card.tsx';
import { TRAIT } from './kind.ts';

export const EDITOR: EditorPages = editorPages({
  ...TRAIT,
  aboutNew: 'Describe what is computed. The live values are those that persons would have now.',
  read: readTrait,
  blank: newComputation,
  Builder: ComputationBuilder,
  Preview: TraitPreviewCard,
});

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
