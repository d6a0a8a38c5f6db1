import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { newCondition, newGroup } from '../../conditions/draft.ts';
import { readCondition } from '../../conditions/read.ts';
import { writtenCondition } from '../../conditions/written.ts';
import { type EditorPages, editorPages } from '../../definitions/editor-pages.tsx';
import { AudiencePreviewCard } from './audience-preview-card.tsx';
import { AUDIENCE } from './kind.ts';

export const EDITOR: EditorPages = editorPages({
  ...AUDIENCE,
  aboutNew: 'Describe the members. The live size counts the persons who would be members now.',
  codec: { read: readCondition, write: writtenCondition },
  blank: () => newGroup('all', [newCondition()]),
  Builder: ConditionBuilder,
  Preview: AudiencePreviewCard,
});
