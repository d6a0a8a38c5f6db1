import { Grid, Stack, Tabs } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import guide from '../../../../../docs/signing.md?raw';
import { CodeBlock } from '../../components/code-block.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { type Checked, VerdictView } from './verdict-view.tsx';
import { VerifyForm } from './verify-form.tsx';

/** Is a signature the one that Millrace makes, and if not, why. */
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

/** The functions of docs/signing.md, which are run by its tests. */
const EXAMPLES: readonly Example[] = [...guide.matchAll(/^### (.+)\n+```\w+\n([\s\S]*?)\n```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);
