import { Box, List, Text, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import type { AudiencePreview } from '../../../../server/src/admin/contract.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { newCondition, newGroup } from '../../conditions/draft.ts';
import { readCondition } from '../../conditions/read.ts';
import { type EditorPages, editorPages } from '../../definitions/editor-pages.tsx';
import { PreviewCard, type PreviewProps } from '../../definitions/preview-card.tsx';
import { count, share } from '../../format/number.ts';
import { AUDIENCE } from './kind.ts';

export const EDITOR: EditorPages = editorPages({
  ...AUDIENCE,
  aboutNew: 'Describe the members. The live size counts the persons who would be members now.',
  read: readCondition,
  blank: () => newGroup('all', [newCondition()]),
  Builder: ConditionBuilder,
  Preview: AudiencePreviewCard,
});

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
