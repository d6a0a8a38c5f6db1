import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Audience, Condition } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/audiences.ts';
import { ConditionBuilder } from '../../conditions/condition-builder.tsx';
import { newCondition, newGroup } from '../../conditions/draft.ts';
import { readCondition } from '../../conditions/read.ts';
import { writtenCondition } from '../../conditions/written.ts';
import { DefinitionForm } from '../../definitions/definition-form.tsx';
import { AUDIENCE } from '../../definitions/kinds.ts';
import { AudiencePreviewCard } from './audience-preview-card.tsx';

const CODEC = { read: readCondition, write: writtenCondition };

/** Makes an audience, or changes one. */
export function AudienceEditor({ audience }: { readonly audience: Audience | null }): ReactElement {
  const navigate = useNavigate();
  const client = useQueryClient();
  const create = useMutation(audiencesApi.create());
  const update = useMutation(audiencesApi.update());
  const open = (id: string): void => void navigate({ to: '/audiences/$audienceId', params: { audienceId: id } });
  return (
    <DefinitionForm
      kind={AUDIENCE}
      existing={audience}
      title="Who is in"
      codec={CODEC}
      blank={() => newGroup('all', [newCondition()])}
      ask={({ definition, name }, signal) =>
        audiencesApi.preview({ definition: definition as Condition, name }, signal)
      }
      create={({ key, ...basics }, definition) =>
        create.mutateAsync({ ...basics, definition: definition as Condition, ...(key !== '' && { key }) })
      }
      read={(id) => client.fetchQuery({ ...audiencesApi.one(id), staleTime: 0 })}
      update={update.mutateAsync}
      onSaved={({ id }) => open(id)}
      onCancel={() => (audience ? open(audience.id) : void navigate({ to: '/audiences' }))}
      preview={(live, hasGaps) => <AudiencePreviewCard live={live} hasGaps={hasGaps} />}
    >
      {(draft, edit) => <ConditionBuilder draft={draft} onChange={edit} />}
    </DefinitionForm>
  );
}
