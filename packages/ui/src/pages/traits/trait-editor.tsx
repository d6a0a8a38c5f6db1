import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { ComputedTrait, TraitDefinition } from '../../../../server/src/admin/contract.ts';
import { traitsApi } from '../../api/traits.ts';
import { ComputationBuilder } from '../../conditions/computation-builder.tsx';
import { newComputation } from '../../conditions/draft.ts';
import { readTrait } from '../../conditions/read.ts';
import { writtenTrait } from '../../conditions/written.ts';
import { DefinitionForm } from '../../definitions/definition-form.tsx';
import { TRAIT } from '../../definitions/kinds.ts';
import { TraitPreviewCard } from './trait-preview-card.tsx';

const CODEC = { read: readTrait, write: writtenTrait };

/** Makes a computed trait, or changes one. */
export function TraitEditor({ trait }: { readonly trait: ComputedTrait | null }): ReactElement {
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation(traitsApi.create());
  const update = useMutation(traitsApi.update());
  const open = (id: string): void => void navigate({ to: '/traits/$traitId', params: { traitId: id } });
  return (
    <DefinitionForm
      kind={TRAIT}
      existing={trait}
      title="What is computed"
      codec={CODEC}
      blank={newComputation}
      ask={({ definition, name }, signal) =>
        traitsApi.preview({ definition: definition as TraitDefinition, name }, signal)
      }
      create={({ key, ...basics }, definition) =>
        create.mutateAsync({ ...basics, definition: definition as TraitDefinition, ...(key !== '' && { key }) })
      }
      read={(id) => client.fetchQuery({ ...traitsApi.one(id), staleTime: 0 })}
      update={update.mutateAsync}
      onSaved={({ id }) => open(id)}
      onCancel={() => (trait ? open(trait.id) : void navigate({ to: '/traits' }))}
      preview={(live, hasGaps) => <TraitPreviewCard live={live} hasGaps={hasGaps} />}
    >
      {(draft, edit) => <ComputationBuilder draft={draft} onChange={edit} />}
    </DefinitionForm>
  );
}
