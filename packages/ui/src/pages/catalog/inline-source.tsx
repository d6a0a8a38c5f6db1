import { Button, Card, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { SourceForm } from '../sources/source-form.tsx';
import type { WizardForm } from './wizard-draft.ts';

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
