import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type {
  DeliveryError,
  DestinationOverview,
  FailureSample,
  UrlStatus,
} from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { many } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { toMessage } from '../../shell/things.ts';
import { PauseButton } from './pause-button.tsx';

/** Failed attempts of the last hour, by URL and kind: how many, since when, a sample answer, a message, and what to do. */
export function ErrorsCard({ overview }: { readonly overview: DestinationOverview }): ReactElement {
  const { destination, status, errors } = overview;
  const mayChange = useMayChange();
  const { data: set } = useQuery(destinationsApi.one(destination.id));
  const asked = destination.urls === 1 ? 'one' : (set?.success ?? 'any');
  return (
    <SectionCard title="Errors of the last hour">
      <Stack component="ul" gap="md">
        {errors.map((error) => (
          <li key={`${error.kind} ${error.webhookId}`}>
            <OneError error={error} follows={WHAT_FOLLOWS[asked]} />
            {mayChange && error.kind === GONE && (
              <PauseGone id={destination.id} name={destination.name} urls={status.urls} urlId={error.webhookId} />
            )}
          </li>
        ))}
      </Stack>
    </SectionCard>
  );
}

/** What happens to a message after an error: if its destination has one URL, if any URL is enough, and if all are needed. */
const WHAT_FOLLOWS = {
  one: { permanent: 'A message that meets this fails, and is not tried again.', temporary: 'It is tried again.' },
  any: {
    permanent: 'A message that meets this is not tried again at this URL, and fails where no other takes it.',
    temporary: 'It is tried again where no other URL takes the message.',
  },
  all: {
    permanent:
      'A message that meets this is not tried again at this URL. It fails as soon as no other URL is left to try, or its retry window ends.',
    temporary: 'It is tried again.',
  },
} as const;

/** The status of an endpoint that is gone for good. */
const GONE = '410';

interface PauseGoneProps {
  /** Id of the destination. */
  readonly id: string;
  readonly name: string;
  readonly urls: readonly UrlStatus[];
  readonly urlId: string;
}

/** Renders no button if the URL is already paused, or no longer belongs to the destination. */
function PauseGone({ id, name, urls, urlId }: PauseGoneProps): ReactElement | null {
  const url = urls.find((each) => each.id === urlId);
  if (!url || url.pausedSince !== null) return null;
  const of =
    urls.length === 1 ? { name, pause: 'Pause the destination' } : { urlId, name: url.url, pause: 'Pause this URL' };
  return <PauseButton id={id} pausedSince={null} {...of} mt="xs" />;
}

interface OneErrorProps {
  readonly error: DeliveryError;
  /** What happens to a message, by the class of the error. */
  readonly follows: Readonly<Record<'permanent' | 'temporary', string>>;
}

function OneError({ error, follows }: OneErrorProps): ReactElement {
  const { title, advice, webhookId, url, kind, sample } = error;
  const isPermanent = error.class === 'permanent';
  const isEdited = url !== '' && sample?.url != null && sample.url !== url;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge tone={isPermanent ? 'bad' : 'warn'}>{kind}</StatusBadge>
        <Text size="md" fw={600}>
          {title}: {many(error.count, 'attempt')}
        </Text>
        <Text c="dimmed">
          first <Time at={error.firstAt} />, last <Time at={error.lastAt} />
        </Text>
      </Group>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {url === '' && webhookId !== '' ? 'A URL that the destination no longer has' : url}
        {isEdited && `, which was ${sample?.url} then`}
      </Text>
      <Text>
        {advice} {follows[isPermanent ? 'permanent' : 'temporary']}
      </Text>
      {sample && <Sample sample={sample} />}
      {useMayChange() && isPermanent && (
        <Text>
          <AnchorLink
            from="/destinations/$id"
            to="./failed"
            search={{ error: kind, range: '1h' }}
            hash="replay"
            inherit
            td="underline"
          >
            Send again what failed in the last hour
          </AnchorLink>
        </Text>
      )}
    </Stack>
  );
}

/** The newest message with this error, and the answer. */
export function Sample({ sample }: { readonly sample: FailureSample }): ReactElement {
  const { messageId, event, detail, answer } = sample;
  return (
    <>
      {detail !== null && <Text c="dimmed">{detail}</Text>}
      {answer !== null && answer !== '' && (
        // Takes only the space that is left. Otherwise, in a table, its longest line would take the space of the other columns.
        <Box w={0} miw="100%">
          <CodeBlock code={answer} label={`answer to ${messageId}`} height={96} />
        </Box>
      )}
      <Text>
        For example:{' '}
        <AnchorLink {...toMessage(sample)} inherit td="underline">
          {shortened(event ?? 'message')} {messageId}
        </AnchorLink>
      </Text>
    </>
  );
}
