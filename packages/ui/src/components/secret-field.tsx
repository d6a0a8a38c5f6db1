import { Alert, Button, Group, type PasswordInputProps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { CopyButton } from './copy-button.tsx';
import { PasswordField } from './password-field.tsx';

interface SecretFieldProps extends Omit<PasswordInputProps, 'value' | 'onChange' | 'visible'> {
  readonly value?: string;
  readonly onChange: (value: string) => void;
  /** Makes one; 256 random bits in hexadecimal where it is absent. */
  readonly make?: () => string;
}

/**
 * A secret that is typed or made here: hidden until asked for, shown when it was just made, so that it can be copied. Below
 * it stands that it is read for the last time.
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

/** Says that a secret is read here for the last time, and copies it. Nothing while there is none. */
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

/** 256 random bits, as Standard Webhooks writes a secret. */
export function newStandardSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...randomBytes()))}`;
}

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
