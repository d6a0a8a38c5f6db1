import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBraces } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { JsonView } from '../components/json-view.tsx';

/** A definition as the API has it, for who asks. */
export function JsonDetails({ definition }: { readonly definition: unknown }): ReactElement {
  const [opened, { toggle }] = useDisclosure(false);
  return (
    <>
      <Button
        style={{ alignSelf: 'flex-start' }}
        size="compact-xs"
        variant="subtle"
        leftSection={<IconBraces size={14} aria-hidden />}
        aria-expanded={opened}
        onClick={toggle}
      >
        {opened ? 'Hide the JSON' : 'Show the JSON'}
      </Button>
      {opened && <JsonView text={JSON.stringify(definition)} label="definition" height={320} />}
    </>
  );
}
