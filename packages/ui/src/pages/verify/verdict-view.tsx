import { Alert, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { SignatureVerdict } from '../../../../server/src/admin/contract.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import classes from './verdict-view.module.css';

/** What a check answered, and about which header. */
export interface Checked {
  readonly verdict: SignatureVerdict;
  readonly given: string;
}

/** Equal, or what the header would have to be, where the given one leaves it, and the likely reason. */
export function VerdictView({ verdict: { scheme, equal, expected, hint }, given }: Checked): ReactElement {
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
        <dl className={classes['values']}>
          <dt>Expected</dt>
          <dd>
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Marked text={expected} from={place} />
              <CopyButton value={expected} of="the expected signature" />
            </Group>
          </dd>
          <dt>Given</dt>
          <dd>{given === '' ? <Text>nothing</Text> : <Marked text={given} from={place} />}</dd>
        </dl>
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
    <code className={classes['value']}>
      {text.slice(0, from)}
      {from < text.length && <mark>{text.slice(from)}</mark>}
    </code>
  );
}

/** How many characters two texts have in common at their beginning. */
function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}
