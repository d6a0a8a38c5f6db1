import { Card, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Incident } from '../../../../server/src/admin/contract.ts';
import { ALERT_RULES } from '../../../../server/src/alerts/rules.ts';
import { incidentsApi } from '../../api/incidents.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { type Column, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { Time } from '../../components/time.tsx';
import { DetailPage } from '../../shell/detail-page.tsx';
import { THINGS } from '../../shell/things.ts';
import { IncidentState, measured, numbersInWords, QuietNote, SampleLink, SubjectLink } from './incident-parts.tsx';
import { SnoozeMenu } from './snooze-menu.tsx';

/** One incident: what, where, since when, how many, a sample message, and its history. */
export function IncidentPage(): ReactElement {
  return (
    <DetailPage
      kind={THINGS.incident}
      one={incidentsApi.one}
      header={(incident) => ({
        title: `${incident.subject.name}: ${ALERT_RULES[incident.rule].title.toLowerCase()}`,
        badge: <IncidentState {...incident} />,
        description: incident.cause,
        actions: <SnoozeMenu {...incident} />,
      })}
    >
      {(incident) => <Details {...incident} />}
    </DetailPage>
  );
}

function Details(incident: Incident): ReactElement {
  const { rule, also, subject, since, endedAt, numbers, sample, updates, recovery } = incident;
  const columns: readonly Column<Incident['updates'][number]>[] = [
    { header: 'When', cell: ({ at }) => <Time at={at} absolute /> },
    { header: 'Measured', cell: (update) => measured(rule, update.numbers.value) ?? '–' },
    { header: 'Numbers', cell: (update) => numbersInWords(incident, update.numbers) ?? '–' },
  ];
  const words = numbersInWords(incident, numbers);
  const [value, limit] = [measured(rule, numbers.value), measured(rule, numbers.threshold)];
  return (
    <Stack gap="lg">
      {recovery !== null && (
        <Text size="md" fw={500}>
          {recovery}
        </Text>
      )}
      <QuietNote {...incident} />
      {subject.kind === 'destination' && endedAt === null && (
        <Text>
          <AnchorLink to="/destinations/$id" params={{ id: subject.id }} inherit td="underline">
            Which errors its attempts met in the last hour, and what to do
          </AnchorLink>
        </Text>
      )}
      <Card>
        <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
          <Fact label="Where">
            <SubjectLink {...subject} />
          </Fact>
          <Fact label="Since">
            <Time at={since} absolute />
          </Fact>
          <Fact label="Ended">
            <Time at={endedAt} absolute otherwise="not yet" />
          </Fact>
          {value !== null && (
            <Fact label="Measured">
              {value}, the rule has {limit}
            </Fact>
          )}
          {words !== null && <Fact label="Numbers">{words}</Fact>}
          {numbers.oldestWaitingAt !== null && (
            <Fact label="Oldest waiting">
              <Time at={numbers.oldestWaitingAt} />
            </Fact>
          )}
          {sample && (
            <Fact label="A message of it">
              <SampleLink sample={sample} />
            </Fact>
          )}
          {also.length > 0 && (
            <Fact label="Of the same cause">{also.map((code) => ALERT_RULES[code].title).join(', ')}</Fact>
          )}
        </SimpleGrid>
      </Card>
      <TableSection
        id="updates"
        label="Updates"
        columns={columns}
        rows={updates.toReversed()}
        rowKey={({ at }) => at}
        empty={
          <EmptyState icon={IconHistory} title="No update yet">
            The first comes after half an hour, or as soon as the incident gets worse.
          </EmptyState>
        }
      />
    </Stack>
  );
}
