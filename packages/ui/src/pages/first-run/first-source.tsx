import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { notifyDone } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';
import { SourceForm } from '../sources/source-form.tsx';

export function FirstSource(): ReactElement {
  const mayChange = useMayChange();
  if (!mayChange) return <Text>Ask an admin to create the first source.</Text>;
  return <SourceForm onCreated={({ name }) => notifyDone(`“${name}” is there.`)} />;
}
