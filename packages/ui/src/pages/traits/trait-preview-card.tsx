import { Group, List, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ComputedTraitPreview } from '../../../../server/src/admin/contract.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { PreviewCard } from '../../definitions/preview-card.tsx';
import type { LivePreview } from '../../definitions/use-live-preview.ts';
import classes from './trait-preview-card.module.css';

interface TraitPreviewCardProps {
  readonly live: LivePreview<ComputedTraitPreview>;
  readonly hasGaps: boolean;
}

/** The values that some persons would have now. */
export function TraitPreviewCard({ live, hasGaps }: TraitPreviewCardProps): ReactElement {
  return (
    <PreviewCard title="Live values" live={live} hasGaps={hasGaps}>
      {({ sample }) =>
        sample.length === 0 ? (
          <Text c="dimmed">None of the persons that were looked at has a value.</Text>
        ) : (
          <List
            className={classes['values'] ?? ''}
            listStyleType="none"
            spacing={6}
            aria-label="Values of some persons"
          >
            {sample.map((person) => (
              <List.Item key={person.id} styles={{ itemWrapper: { display: 'block' } }}>
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
