import { Alert, Button, Group, type PasswordInputProps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';
import { PasswordField } from './password-field.tsx';

interface SecretFieldProps extends Omit<PasswordInputProps, 'value' | 'onChange' | 'visible'> {
  readonly value?: string;
  readonly onChange: (value: string) => void;
  /** Generates a secret. Default: 256 random bits in hexadecimal. */
  readonly make?: () => string;
}

/**
 * A secret that is typed or generated here. It is hidden until asked for; a generated one is shown, so that it can be
 * copied. A note below says that it can't be read later.
 */
export function SecretField({ value = '', onChange, make = newSecret, ...input }: SecretFieldProps): ReactElement {
  const [visible, { open, toggle }] = useDisclosure(false);
  const generate = (): void => {
    onChange(make());
    open();
  };
  return (
    <>
      <Group gap="xs" align="flex-end" wrap="wrap">
        <PasswordField
          flex="1 1 220px"
          {...input}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          visible={visible}
          onVisibilityChange={toggle}
        />
        <Button variant="default" onClick={generate}>
          Generate
        </Button>
      </Group>
      <SecretCopyNote secret={value} />
    </>
  );
}

/** Says that a secret can't be read later, and offers to copy it. Renders nothing without a secret. */
export function SecretCopyNote({ secret }: { readonly secret: string }): ReactElement | null {
  if (secret === '') return null;
  return (
    <Alert color="yellow" icon={<IconKey aria-hidden />}>
      <Group gap="sm" justify="space-between">
        <Text flex="1 1 200px">
          Copy it to your endpoints now: it can't be read again once it is saved, only replaced.
        </Text>
        <CopyButton value={secret} of="the secret" />
      </Group>
    </Alert>
  );
}

function newSecret(): string {
  return [...randomBytes()].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** 256 random bits in the format of Standard Webhooks. */
export function newStandardSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...randomBytes()))}`;
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
