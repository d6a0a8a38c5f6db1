import { ComputationBuilder } from '../../conditions/computation-builder.tsx';
import { newComputation } from '../../conditions/draft.ts';
import { readTrait } from '../../conditions/read.ts';
import { writtenTrait } from '../../conditions/written.ts';
import { type EditorPages, editorPages } from '../../definitions/editor-pages.tsx';
import { TRAIT } from './kind.ts';
import { TraitPreviewCard } from './trait-preview-card.tsx';

export const EDITOR: EditorPages = editorPages({
  ...TRAIT,
  aboutNew: 'Describe what is computed. The live values are those that persons would have now.',
  codec: { read: readTrait, write: writtenTrait },
  blank: newComputation,
  Builder: ComputationBuilder,
  Preview: TraitPreviewCard,
});
