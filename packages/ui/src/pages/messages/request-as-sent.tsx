import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { TracedRequest } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { curlOf } from './curl.ts';

interface RequestAsSentProps {
  readonly request: Omit<TracedRequest, 'webhookId'>;
  /** As it was at an attempt; where there was none, as it is now. */
  readonly url?: string;
  readonly body: string;
}

/** The request to one URL: its headers, and the same as a command. The body is the page's “Payload”. */
export function RequestAsSent({ request, url = request.url, body }: RequestAsSentProps): ReactElement {
  const { headers } = request;
  const changedSince = request.changedSince || url !== request.url;
  const signature = headers['X-Signature'];
  const head = [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n');
  return (
    <Stack gap="xs">
      {changedSince && (
        <Alert color="yellow" title="The settings were changed since the last attempt">
          These are the headers of now; that attempt may have carried others.
        </Alert>
      )}
      <CodeBlock code={head} label="request headers" height={280} />
      <Group gap="xs">
        <CopyButton value={curlOf({ url, headers }, body)} of="as curl" wide />
        {signature !== undefined && (
          <Button
            component={Link}
            to="/verify"
            state={{ signatureCheck: { body, signature } }}
            variant="default"
            size="xs"
            leftSection={<IconShieldCheck size={14} aria-hidden />}
          >
            Verify signature
          </Button>
        )}
      </Group>
    </Stack>
  );
}
