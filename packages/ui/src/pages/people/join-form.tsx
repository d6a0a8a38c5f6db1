import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { NewIdentity } from '../../../../server/src/admin/contract.ts';
import { peopleApi } from '../../api/people.ts';
import { sourcesApi } from '../../api/sources.ts';
import { notifyDone } from '../../components/notify.ts';
import { DialogForm } from '../../forms/dialog-form.tsx';
import { useSubmit } from '../../forms/use-submit.ts';

interface JoinFormProps {
  readonly userId: string;
  readonly onClose: () => void;
}

/** In a dialog. Says that another id is this person's too, by an alias call under a server source. */
export function JoinForm({ userId, onClose }: JoinFormProps): ReactElement {
  const { data: sources } = useQuery(sourcesApi.list());
  const servers = (sources ?? []).filter(({ type, sentBy }) => type === 'server' && sentBy === null);
  const form = useForm<NewIdentity>({ initialValues: { id: '', sourceId: '' } });
  const { busy, refusal, send } = useSubmit(form, peopleApi.join());
  const submit = form.onSubmit((identity) =>
    send({ ...identity, of: userId }, () => {
      notifyDone('The alias was sent. Who is who is decided when it is taken in.');
      onClose();
    }),
  );
  return (
    <DialogForm onSubmit={submit} action="Join" busy={busy} refusal={refusal} onCancel={onClose}>
      <TextInput
        label="Id"
        description="User id or anonymous id, exactly as calls give it. Its person becomes part of this one."
        required
        data-autofocus
        {...form.getInputProps('id')}
      />
      <Select
        label="Server source"
        description="The alias call is sent under it, and delivered to its destinations."
        data={servers.map(({ id, name }) => ({ value: id, label: name }))}
        required
        nothingFoundMessage={sources ? 'There is no server source' : 'The sources are not there yet'}
        {...form.getInputProps('sourceId')}
      />
    </DialogForm>
  );
}
