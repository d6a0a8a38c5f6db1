import { Alert, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Attempt, TracedRequest } from '../../../../server/src/admin/contract.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact } from '../../components/fact.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { isJson } from '../../format/json.ts';
import { duration } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import { curlOf } from './curl.ts';

interface AttemptPanelProps {
  readonly attempt: Omit<Attempt, 'webhookId'>;
  /** Undefined if the destination no longer has this URL. */
  readonly request: Omit<TracedRequest, 'webhookId'> | undefined;
  readonly body: string;
}

/** The complete request and response of one attempt. */
export function AttemptPanel({ attempt, request, body }: AttemptPanelProps): ReactElement {
  const { status, error, detail, answer, responseHeaders = {} } = attempt;
  const head = Object.entries(responseHeaders).map(([name, value]) => `${name}: ${value}`);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <Stack component="section" gap="xs" aria-label="Request">
        <Title order={3} size="h4">
          Request
        </Title>
        {request ? (
          <RequestAsSent request={request} url={attempt.url} body={body} />
        ) : (
          <Text c="dimmed">
            The destination does not have this URL any more: what a request carries can’t be shown.
          </Text>
        )}
      </Stack>
      <Stack component="section" gap="xs" aria-label="Response">
        <Title order={3} size="h4">
          Response
        </Title>
        <Text fw={600}>{status === null ? `No answer: ${error}` : `Status ${status}`}</Text>
        {error !== null && <Text>{errorInWords(error)}</Text>}
        {detail !== null && (
          <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {detail}
          </Text>
        )}
        <Timing attempt={attempt} />
        {head.length > 0 && <CodeBlock code={head.join('\n')} label="response headers" height={160} />}
        {answer ? <Answer text={answer} /> : <Text c="dimmed">Without a body.</Text>}
      </Stack>
    </SimpleGrid>
  );
}

/** The text of an answer, formatted if it is JSON. */
function Answer({ text }: { readonly text: string }): ReactElement {
  const props = { label: 'response body (first 1 KiB)', height: 260 };
  return isJson(text) ? <JsonView text={text} {...props} /> : <CodeBlock code={text} {...props} />;
}

const PHASES = [
  ['dns', 'DNS'],
  ['connect', 'Connect'],
  ['tls', 'TLS'],
  ['firstByte', 'First byte'],
] as const;

function Timing({ attempt: { status, timing, ms } }: { readonly attempt: AttemptPanelProps['attempt'] }): ReactElement {
  const phases = PHASES.flatMap(([phase, word]) => {
    const took = timing?.[phase];
    return took === null || took === undefined ? [] : [[word, took] as const];
  });
  return (
    <Group component="dl" gap="4px 20px" m={0}>
      {[...phases, ['In all', ms] as const].map(([word, took]) => (
        <Fact key={word} label={word}>
          {duration(took)}
        </Fact>
      ))}
      {!timing && status !== null && (
        <Text variant="aside">On a connection that was open already; its parts are not measured.</Text>
      )}
    </Group>
  );
}

interface RequestAsSentProps {
  readonly request: Omit<TracedRequest, 'webhookId'>;
  /** The URL at the time of an attempt. Default: the current URL. */
  readonly url?: string;
  readonly body: string;
}

/** The request to one URL: its headers, and a command that sends it. The body is shown under “Payload”. */
export function RequestAsSent({ request, url = request.url, body }: RequestAsSentProps): ReactElement {
  const { headers } = request;
  const changedSince = request.changedSince || url !== request.url;
  const signature = headers['X-Signature'];
  const head = [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
  return (
    <Stack gap="xs">
      {changedSince && (
        <Alert color="yellow" title="The destination was changed since the last attempt">
          These are the headers of now. If the change was about them, that attempt carried others.
        </Alert>
      )}
      <CodeBlock code={head} label="request headers" height={280} />
      <Group gap="xs">
        <CopyButton value={curlOf({ url, headers }, body)} of="as curl" wide />
        {signature !== undefined && (
          <ButtonLink
            to="/verify"
            state={{ signatureCheck: { body, signature } }}
            variant="default"
            size="xs"
            leftSection={<IconShieldCheck size={14} aria-hidden />}
          >
            Verify signature
          </ButtonLink>
        )}
      </Group>
    </Stack>
  );
}
