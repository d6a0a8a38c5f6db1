import { Alert, Button, Card, Group, List, Radio, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useMemo, useState } from 'react';
import type { NewRegulation, Regulation, RegulationReach } from '../../../../server/src/admin/contract.ts';
import { problemFrom } from '../../api/problem.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Names } from '../../components/names.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { many } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { DeletionEffect } from './deletion-effect.tsx';
import { type LineFlaw, listOf, MAX_USERS, tableIn, userIdsOf } from './user-ids.ts';
import { UserIdsField } from './user-ids-field.tsx';

export function NewDeletionPage(): ReactElement {
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
        title="New deletion"
        description="Name the users, read what will happen, then confirm it. Nothing happens before that."
      />
      <ForAdmins
        title="Only admins may delete"
        otherwise="Ask an admin to request the deletion. You can follow every request and its receipts."
      >
        <DeletionForm />
      </ForAdmins>
    </>
  );
}

type Type = Regulation['regulationType'];

const TYPES: readonly { readonly value: Type; readonly label: string; readonly description: string }[] = [
  {
    value: 'DELETE_ONLY',
    label: 'Delete',
    description: 'Later calls of these users are accepted, and begin a new profile.',
  },
  {
    value: 'SUPPRESS_WITH_DELETE',
    label: 'Delete and suppress',
    description: 'Calls of these users are refused from now on, until you lift the suppression.',
  },
];

/** Chooses users and the kind of deletion, shows its effect, and asks for confirmation. */
function DeletionForm(): ReactElement {
  const navigate = useNavigate();
  const given = useLocation({ select: ({ state }) => state.deletionOf });
  const [text, setText] = useState(() => listOf(given ?? []));
  const [chosen, setChosen] = useState<number | 'whole' | null>(null);
  const [type, setType] = useState<Type>('DELETE_ONLY');
  const [error, setError] = useState<string | null>(null);
  const [refused, setRefused] = useState<readonly LineFlaw[]>([]);
  /** The request that the question is about. The text may be edited while the answer is on its way. */
  const [asked, setAsked] = useState<{ readonly wish: NewRegulation; readonly reach: RegulationReach } | null>(null);
  const create = useMutation(regulationsApi.create());
  const reach = useMutation(regulationsApi.reach());

  const table = useMemo(() => tableIn(text), [text]);
  const column = chosen ?? table?.likely ?? null;
  const read = useMemo(
    () => userIdsOf(text, table && typeof column === 'number' ? { table, column } : null),
    [text, table, column],
  );
  const users = many(read.ids.length, 'user');
  const edit = (changed: string): void => {
    setText(changed);
    setChosen(null);
    setError(null);
    setRefused([]);
  };

  const wish: NewRegulation = { regulationType: type, subjectType: 'USER_ID', subjectIds: [...read.ids] };

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (table && column === null) setError('Choose the column with the user ids below.');
    else if (read.flaws.length > 0) setError(null);
    else if (read.ids.length === 0) setError('Name at least one user.');
    else if (read.ids.length > MAX_USERS) setError(`${users} are more than one request takes.`);
    else {
      setError(null);
      try {
        setAsked({ wish, reach: await reach.mutateAsync(wish) });
      } catch (thrown) {
        setRefused(flawsIn(thrown, read.lines));
        setError(problemFrom(thrown).message);
      }
    }
  };
  const confirm = async (): Promise<void> => {
    if (!asked) return;
    const { id } = await create.mutateAsync(asked.wish);
    await navigate({ to: '/deletions/$id', params: { id } });
  };

  const subjects = asked?.wish.subjectIds ?? [];
  const those = many(subjects.length, 'user');
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md" maw={860}>
        <Card component="section" aria-label="Users">
          <UserIdsField
            text={text}
            onText={edit}
            table={table}
            column={column}
            onColumn={(next) => {
              setChosen(next);
              setError(null);
            }}
            read={read}
            flaws={table && column === null ? [] : [...read.flaws, ...refused]}
            error={error}
          />
        </Card>
        <SectionCard id="kind" title="And afterwards">
          <Radio.Group aria-labelledby="kind" value={type} onChange={(value) => setType(value as Type)}>
            <Stack gap="sm">
              {TYPES.map((each) => (
                <Radio key={each.value} {...each} />
              ))}
            </Stack>
          </Radio.Group>
        </SectionCard>
        <DeletionEffect suppresses={type === 'SUPPRESS_WITH_DELETE'} />
        <Group gap="sm">
          <Button type="submit" variant="outline" color="red" loading={reach.isPending}>
            {read.ids.length === 0 ? 'Delete…' : `Delete ${users}…`}
          </Button>
          <Text c="dimmed">Nothing happens before you have confirmed it.</Text>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={`Delete everything about ${those}?`}
        action={`Delete ${those}`}
        typeFirst={`delete ${those}${(asked?.reach.others.length ?? 0) > 0 ? ' and others' : ''}`}
        onConfirm={confirm}
      >
        {beginning(subjects)}
        {asked && <DeletionReach reach={asked.reach} />}
        It begins at once, can't be stopped and can't be undone: neither a replay nor this service can bring the data
        back.
        {asked?.wish.regulationType === 'SUPPRESS_WITH_DELETE' && ' Their later calls are refused from now on.'}
      </ConfirmDialog>
    </form>
  );
}

function flawsIn(thrown: unknown, lines: readonly number[]): LineFlaw[] {
  return problemFrom(thrown).errors.flatMap(({ path, message }) => {
    const line = lines[Number(/^subjectIds\.(\d+)$/.exec(path)?.[1])];
    return line === undefined ? [] : [{ line, message }];
  });
}

/** Ids that the question names. */
const NAMED = 3;

function beginning(ids: readonly string[]): ReactElement {
  const rest = ids.length - NAMED;
  return (
    <>
      <Names of={ids.slice(0, NAMED).map(quoted)} />
      {rest > 0 && ` and ${many(rest, 'other')}`}.
    </>
  );
}

function quoted(id: string): string {
  return `“${shortened(id)}”`;
}

/** Persons with other user ids that are named, and ids named for each. */
const NAMED_PERSONS = 5;

/** The users and the amount of data that a deletion affects. Other users among them are highlighted. */
function DeletionReach({ reach }: { readonly reach: RegulationReach }): ReactElement {
  const { persons, ids, events, sources, others, unknown } = reach;
  const least = events.complete ? '' : 'at least ';
  return (
    <>
      <Text my="sm">
        It reaches {many(persons, 'known person')} with {many(ids, 'id')}, and {least}
        {many(events.found, 'event')} of {least}
        {many(sources.length, 'source')}.
      </Text>
      {unknown !== null && unknown.count > 0 && (
        <Alert
          color="yellow"
          mb="sm"
          title={`No person and no event has ${unknown.count === 1 ? 'this id' : `${many(unknown.count, 'id')} of these`}`}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>
            <Names of={unknown.first.map(quoted)} />
            {unknown.count > unknown.first.length && ` and ${many(unknown.count - unknown.first.length, 'other')}`}.
            Check the spelling: upper and lower case matter.
          </Text>
        </Alert>
      )}
      {others.length > 0 && (
        <Alert color="red" mb="sm" title="Other users are reached too">
          They are the same persons, and everything about them is deleted with these:
          <List size="sm" mt="xs">
            {others.slice(0, NAMED_PERSONS).map(({ userId, others: ids }) => (
              <List.Item key={userId} style={{ overflowWrap: 'anywhere' }}>
                <Names of={[quoted(userId)]} /> is also <Names of={ids.slice(0, NAMED_PERSONS).map(quoted)} />
                {ids.length > NAMED_PERSONS && ` and ${many(ids.length - NAMED_PERSONS, 'other')}`}
              </List.Item>
            ))}
          </List>
          {others.length > NAMED_PERSONS && `And ${many(others.length - NAMED_PERSONS, 'person')} more.`}
        </Alert>
      )}
    </>
  );
}
