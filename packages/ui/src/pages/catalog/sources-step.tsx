import { Button, Card, Checkbox, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ErrorState } from '../../components/error-state.tsx';
import classes from '../sources/choice.module.css';
import { SourceForm } from '../sources/source-form.tsx';
import { SourceTypeIcon } from '../sources/source-types.tsx';
import type { WizardForm } from './wizard-draft.ts';

/** Whose calls the destination gets. */
export function SourcesStep({ form }: { readonly form: WizardForm }): ReactElement {
  const { data: sources, error, refetch } = useQuery(sourcesApi.list());
  if (!sources) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={120} />;
  if (sources.length === 0) {
    const refused = form.errors['sourceIds'] !== undefined;
    return (
      <Text {...(refused && { role: 'alert', c: 'var(--mantine-color-error)' })}>
        There is no source yet. Create the source whose calls this destination gets.
      </Text>
    );
  }
  return (
    <Checkbox.Group label="Calls of these sources are delivered" required {...form.getInputProps('sourceIds')}>
      <Stack gap="xs" mt="xs">
        {sources.map((source) => (
          <Choice key={source.id} source={source} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function Choice({ source: { id, name, type, enabled, sentBy } }: { readonly source: Source }): ReactElement {
  return (
    <Checkbox.Card value={id} className={classes['choice'] ?? ''} aria-label={name}>
      <Group gap="sm" wrap="nowrap">
        <Checkbox.Indicator />
        <SourceTypeIcon type={type} />
        <div>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text variant="aside">
            {sentBy !== null
              ? 'an audience or a computed trait'
              : enabled
                ? type
                : `${type} · off: its calls are rejected`}
          </Text>
        </div>
      </Group>
    </Checkbox.Card>
  );
}

/** Makes a source without leaving the wizard, and chooses it. Where there is none yet, that is the step. */
export function InlineSource({ form }: { readonly form: WizardForm }): ReactElement | null {
  const { data: sources } = useQuery(sourcesApi.list());
  const [creating, { open, close }] = useDisclosure(false);
  const created = ({ id }: Source): void => {
    form.setFieldValue('sourceIds', (chosen) => [...chosen, id]);
    close();
  };
  if (!sources) return null;
  const isFirst = sources.length === 0;
  if (!creating && !isFirst) {
    return (
      <Button mt="md" variant="light" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        New source
      </Button>
    );
  }
  return (
    <Card mt="md" component="section" aria-label="New source">
      <Title order={3} mb="sm">
        New source
      </Title>
      <SourceForm onCreated={created} {...(!isFirst && { onCancel: close })} />
    </Card>
  );
}
