import { Button, Card, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import { messagesApi } from '../../api/messages.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import type { Checked } from './verdict-view.tsx';

const NOTHING = { secret: '', body: '', signature: '', webhookId: '', webhookTimestamp: '' };

/** Nothing of it is kept: not by the service, and here for as long as the page is open. */
export function VerifyForm({ onChecked }: { readonly onChecked: (checked: Checked | null) => void }): ReactElement {
  const form = useForm({ initialValues: NOTHING, onValuesChange: () => onChecked(null) });
  // The secret must not lie in the cache of calls that are over.
  const { busy, refusal, send, forget } = useSubmit(form, { ...messagesApi.checkSignature(), gcTime: 0 });

  const submit = form.onSubmit((values) => {
    onChecked(null);
    send(values, (verdict) => {
      onChecked({ verdict, given: values.signature });
      forget();
    });
  });

  const isStandard = form.values.secret.startsWith('whsec_');
  const clear = (): void => {
    form.setValues(NOTHING);
    form.clearErrors();
    forget();
  };

  return (
    <Card component="form" aria-label="Signature" onSubmit={(event) => submit(event as never)}>
      <Stack gap="md">
        <PasswordField
          label="Secret"
          description="The shared one, or one of Standard Webhooks (whsec_…), as it was set in the destination. It is sent to your own service for this check, and kept nowhere."
          required
          {...form.getInputProps('secret')}
        />
        <Textarea
          label="Body"
          description="The raw request body, to the byte: spaces and line breaks count."
          autosize
          minRows={6}
          maxRows={18}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          {...form.getInputProps('body')}
        />
        {isStandard && (
          <Group grow preventGrowOverflow={false}>
            <TextInput label="webhook-id header" {...form.getInputProps('webhookId')} />
            <TextInput label="webhook-timestamp header" {...form.getInputProps('webhookTimestamp')} />
          </Group>
        )}
        <TextInput
          label={isStandard ? 'webhook-signature header' : 'X-Signature header'}
          placeholder={
            isStandard ? 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' : '728939ab1c4ade6f13834a48afed414df5ecfc59'
          }
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          {...form.getInputProps('signature')}
        />
        {refusal !== null && <ErrorState error={refusal} />}
        <Group gap="xs">
          <Button type="submit" loading={busy}>
            Verify
          </Button>
          <Button variant="default" onClick={clear}>
            Clear
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
