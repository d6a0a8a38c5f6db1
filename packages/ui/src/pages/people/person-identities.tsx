import { Button, Card, Group, Select, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconUserMinus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { NewIdentity, Person, PersonIdentity } from '../../../../server/src/admin/contract.ts';
import { peopleApi } from '../../api/people.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';
import { shortened } from '../../format/shortened.ts';
import { DialogForm, FormDialog } from '../../forms/form-dialog.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { useMayChange } from '../../shell/session.ts';
import classes from './person.module.css';

/** All ids of the person. The id used for the person is marked. Admins can join and remove ids. */
export function PersonIdentities({ person }: { readonly person: Person }): ReactElement {
  const mayChange = useMayChange();
  const [joining, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const takeOut = useMutation(peopleApi.takeOut());
  const rank = ({ id, userIdSince, aliasedAt }: PersonIdentity): number =>
    id === person.userId ? 0 : (userIdSince ?? aliasedAt) === null ? 2 : 1;
  const stays = person.identities.find(({ id }) => id !== leaving)?.id ?? person.id;
  return (
    <Card component="section" aria-labelledby="identities">
      <Group justify="space-between" mb={4}>
        <Title id="identities">Identities</Title>
        {mayChange && person.userId !== null && (
          <Button size="xs" variant="default" onClick={open}>
            Join another id…
          </Button>
        )}
      </Group>
      <ul className={classes['list']}>
        {[...person.identities]
          .sort((a, b) => rank(a) - rank(b))
          .map(({ id, userIdSince, aliasedAt }) => (
            <li key={id}>
              <div>
                <Text fw={id === person.userId ? 600 : 400} style={{ overflowWrap: 'anywhere' }}>
                  {id}
                </Text>
                <Text variant="aside">
                  {userIdSince === null && aliasedAt === null && 'anonymous id'}
                  {userIdSince === null && aliasedAt !== null && (
                    <>
                      user id that an alias left behind <Time at={aliasedAt} absolute />
                    </>
                  )}
                  {userIdSince !== null && (
                    <>
                      user id since <Time at={userIdSince} absolute />
                      {id === person.userId && ', the one that destinations are told'}
                    </>
                  )}
                </Text>
              </div>
              <Group gap={4} wrap="nowrap">
                {mayChange && person.identities.length > 1 && (
                  <IconButton
                    icon={IconUserMinus}
                    label={`Take ${shortened(id)} out of this person`}
                    onClick={() => setLeaving(id)}
                  />
                )}
                <CopyButton value={id} of="the id" />
              </Group>
            </li>
          ))}
      </ul>
      <NotJoined items={person.notJoined} />
      {person.userId !== null && (
        <FormDialog opened={joining} onClose={close} title="Join another id">
          <JoinForm userId={person.userId} onClose={close} />
        </FormDialog>
      )}
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Take “${shortened(leaving ?? '')}” out of this person?`}
        action="Take it out"
        onConfirm={async () => leaving !== null && (await takeOut.mutateAsync({ of: stays, id: leaving }))}
      >
        What is known stays with this person. The id is a person of its own from now on, of whom nothing else is known.
        A call that names both later can join them again, and so can a rebuild by what the log still has.
      </ConfirmDialog>
    </Card>
  );
}

const WHY: Readonly<Record<Person['notJoined'][0]['why'], string>> = {
  user: "another user's id: only an alias of a server source joins two users",
  unknown: 'no call had carried it before',
  limit: 'this person has as many ids as one may have',
};

/** Ids that stood in calls beside the person's ids, but were not joined. */
function NotJoined({ items }: { readonly items: Person['notJoined'] }): ReactElement | null {
  if (items.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="md" id="not-joined">
        Not joined
      </Title>
      <ul className={classes['list']} aria-labelledby="not-joined">
        {items.map(({ id, sourceId, why, at }) => (
          <li key={id}>
            <div>
              {why === 'unknown' ? (
                <Text style={{ overflowWrap: 'anywhere' }}>{id}</Text>
              ) : (
                <PersonLink id={id} userId={id} />
              )}
              <Text variant="aside">{WHY[why]}</Text>
            </div>
            <Text variant="aside">
              <SourceName id={sourceId} />, <Time at={at} />
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}

interface JoinFormProps {
  readonly userId: string;
  readonly onClose: () => void;
}

/** The form in a dialog. Joins another id to this person, by an alias call under a server source. */
function JoinForm({ userId, onClose }: JoinFormProps): ReactElement {
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
        description="User id or anonymous id, exactly as calls give it. Its person becomes part of this one; of another user's anonymous ids only the one that is named."
        required
        data-autofocus
        {...form.getInputProps('id')}
      />
      <TypedNote id={form.values.id} />
      <Select
        label="Server source"
        description="The alias call is sent under it, and delivered to its destinations."
        data={servers.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        required
        nothingFoundMessage={sources ? 'There is no server source' : 'The sources are not there yet'}
        {...form.getInputProps('sourceId')}
      />
    </DialogForm>
  );
}

/** Says what may be wrong with an id, once the typing pauses: what is joined by mistake is told to destinations. */
function TypedNote({ id }: { readonly id: string }): ReactElement | null {
  const [typed] = useDebouncedValue(id, 350);
  const { data, isPlaceholderData } = useInfiniteQuery({
    ...peopleApi.search({ prefix: typed }),
    enabled: typed !== '',
  });
  const found = isPlaceholderData ? undefined : data?.pages.flatMap(({ items }) => items);
  const isUnknown = found?.every(({ foundBy }) => foundBy.trait !== null || foundBy.value !== typed);
  const notes = [
    typed.trim() !== typed && 'It begins or ends with a space.',
    isUnknown && 'No person has this id: it would be joined as a new one of theirs.',
  ].filter(Boolean);
  if (notes.length === 0) return null;
  return (
    <Text variant="aside" c="var(--millrace-warn)" role="status">
      {notes.join(' ')}
    </Text>
  );
}
