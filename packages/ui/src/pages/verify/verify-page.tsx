import { Alert, Button, Card, Grid, Group, Mark, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import guide from '../../../../../docs/signing.md?raw';
import type { SignatureVerdict } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSubmit } from '../../forms/use-submit.ts';

/** Checks whether Millrace would make a given signature, and if not, why. */
export function VerifyPage(): ReactElement {
  const [checked, setChecked] = useState<Checked | null>(null);
  return (
    <>
      <PageHeader
        title="Signature verifier"
        description="Paste what your endpoint received: it says whether the signature fits, or what went wrong."
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <VerifyForm onChecked={setChecked} />
            <div aria-live="polite">{checked && <VerdictView {...checked} />}</div>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <SectionCard
            title="In your code"
            description="X-Signature is the lowercase hexadecimal HMAC-SHA1 of the body's bytes, with the shared secret as its key. Use the bytes as they came, before any JSON parser."
          >
            <Tabs defaultValue={EXAMPLES[0]?.language ?? null} keepMounted={false}>
              <Tabs.List mb="sm">
                {EXAMPLES.map(({ language }) => (
                  <Tabs.Tab key={language} value={language}>
                    {language}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {EXAMPLES.map(({ language, code }) => (
                <Tabs.Panel key={language} value={language}>
                  <CodeBlock code={code} label={`${language} example`} />
                </Tabs.Panel>
              ))}
            </Tabs>
          </SectionCard>
        </Grid.Col>
      </Grid>
    </>
  );
}

interface Example {
  readonly language: string;
  readonly code: string;
}

/** The functions of docs/signing.md, which its tests run. */
const EXAMPLES: readonly Example[] = [...guide.matchAll(/^### (.+)\n+```\w+\n([\s\S]*?)\n```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);

const NOTHING = { secret: '', body: '', signature: '', webhookId: '', webhookTimestamp: '' };

/** The service stores none of the input. The page keeps it only while it is open. */
function VerifyForm({ onChecked }: { readonly onChecked: (checked: Checked | null) => void }): ReactElement {
  const form = useForm({ initialValues: NOTHING, onValuesChange: () => onChecked(null) });
  // The secret must not stay in the cache of finished calls.
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
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
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

/** The result of a check, and the header that was checked. */
interface Checked {
  readonly verdict: SignatureVerdict;
  readonly given: string;
}

/** Says that the signature matches; or shows the expected one, the first difference, and the likely reason. */
function VerdictView({ verdict: { scheme, equal, expected, hint }, given }: Checked): ReactElement {
  if (equal) {
    return (
      <Alert color="teal" title="The signature is right" icon={<IconCircleCheck aria-hidden />}>
        This body was signed with this secret{scheme === 'standard' && ' by Standard Webhooks'}, and nothing of it was
        changed on the way.
      </Alert>
    );
  }
  const place = firstDifference(given, expected);
  return (
    <Alert color="red" title="The signature does not fit" icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="sm">
        <Text>{hint}</Text>
        <Stack component="dl" gap={6} m={0}>
          <Fact label="Expected">
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Marked text={expected} from={place} />
              <CopyButton value={expected} of="the expected signature" />
            </Group>
          </Fact>
          <Fact label="Given">{given === '' ? 'nothing' : <Marked text={given} from={place} />}</Fact>
        </Stack>
        {given !== '' && (
          <Text>
            {place === 0 ? 'They differ from the first character on.' : `The first ${place} characters are the same.`}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

function Marked({ text, from }: { readonly text: string; readonly from: number }): ReactElement {
  return (
    <Text component="code" ff="monospace" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text.slice(0, from)}
      {from < text.length && <Mark color="red">{text.slice(from)}</Mark>}
    </Text>
  );
}

/** The number of characters that two texts have in common at their beginning. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}
