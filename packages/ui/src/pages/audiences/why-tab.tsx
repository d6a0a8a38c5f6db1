import { Button, Card, Group, Stack, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import { WhyView } from './why-view.tsx';

const route = getRouteApi('/shell/audiences/$id/why');

/** Explains one person's membership. */
export function AudienceWhyTab(): ReactElement {
  const { id } = route.useParams();
  const { person = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(person);
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    void navigate({ search: { person: typed } });
  };
  return (
    <Stack gap="md" maw={960}>
      <Card component="form" onSubmit={ask}>
        <Group gap="xs" align="flex-end">
          <TextInput
            flex="1 1 240px"
            label="Why is this person in or out?"
            description="Any of their ids: a user id or an anonymous id."
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" disabled={typed === ''}>
            Explain
          </Button>
        </Group>
      </Card>
      {person !== '' && <WhyView audienceId={id} personId={person} />}
    </Stack>
  );
}
