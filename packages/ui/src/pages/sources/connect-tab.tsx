import { Stack, Tabs, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { useShownSource } from './shown-source.ts';
import { snippetsFor } from './snippets.ts';
import { WriteKeyCard } from './write-key-card.tsx';

/** Guides from the write key to the first event. */
export function SourceConnectTab(): ReactElement {
  const mayLook = useMayLook();
  const source = useShownSource();
  if (source.sentBy !== null) return <SentByNote sentBy={source.sentBy} />;
  return (
    <Stack gap="md">
      {mayLook && <FirstEvent key={source.id} source={source} hint="Run one of the snippets." />}
      <WriteKeyCard source={source} />
      <SnippetsCard source={source} />
      {mayLook && <RejectionsTable sourceId={source.id} />}
    </Stack>
  );
}

/** Code for the first call, for each client library, with this source's key and this instance's address. */
function SnippetsCard({ source }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange();
  const snippets = snippetsFor(mayChange ? source.writeKey : '<WRITE_KEY>', window.location.origin, source.type);
  return (
    <SectionCard
      title="Send calls"
      description={`Paste one of these: they hold ${mayChange ? "this source's key and " : ''}the address at which you reach this service now.${mayChange ? '' : ' An admin knows the write key.'}`}
    >
      <Tabs defaultValue={snippets[0].name} variant="pills" radius="md" keepMounted={false}>
        <Tabs.List aria-label="Client library" mb="md">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, install, code, note }) => (
          <Tabs.Panel key={name} value={name}>
            <Stack gap="sm">
              {install && <CodeBlock code={install} label="command to install it" />}
              <CodeBlock code={code} label={`${name} snippet`} />
              {note && <Text c="dimmed">{note}</Text>}
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </SectionCard>
  );
}
