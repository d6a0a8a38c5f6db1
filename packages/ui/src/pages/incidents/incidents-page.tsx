import { Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Incident } from '../../../../server/src/admin/contract.ts';
import { incidentsApi } from '../../api/incidents.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { useMayLook } from '../../shell/session.ts';
import { IncidentState, numbersInWords, QuietNote, SampleLink, SubjectLink } from './incident-parts.tsx';
import { SnoozeMenu } from './snooze-menu.tsx';

const WHAT: Column<Incident> = { header: 'What', width: '32%', cell: (incident) => <What {...incident} /> };
const WHERE: Column<Incident> = { header: 'Where', width: '14%', cell: ({ subject }) => <SubjectLink {...subject} /> };
const SINCE: Column<Incident> = { header: 'Since', cell: ({ since }) => <Time at={since} /> };

const OPEN: readonly Column<Incident>[] = [
  WHAT,
  WHERE,
  SINCE,
  { header: 'Sample', width: '22%', cell: ({ sample }) => (sample === null ? '–' : <SampleLink sample={sample} />) },
  { header: 'State', cell: (incident) => <IncidentState {...incident} /> },
  { header: 'Snooze', align: 'end', cell: (incident) => <SnoozeMenu {...incident} /> },
];

const ENDED: readonly Column<Incident>[] = [
  WHAT,
  WHERE,
  SINCE,
  { header: 'Ended', cell: ({ endedAt }) => <Time at={endedAt} /> },
];

/** Open and past incidents. */
export function IncidentsPage(): ReactElement {
  const open = useQuery(incidentsApi.open());
  const ended = useInfiniteQuery(incidentsApi.ended());
  const mayLook = useMayLook();
  return (
    <>
      <PageHeader
        title="Incidents"
        description="What rules found to be wrong, one for each cause. They end by themselves."
        actions={
          mayLook && (
            <ButtonLink to="/settings/alerts" variant="default">
              Rules and addresses
            </ButtonLink>
          )
        }
      />
      <Stack gap="lg">
        <Section id="open" title="Open">
          <DataTable
            label="Open incidents"
            columns={OPEN}
            {...rowsOf(open)}
            empty={
              <EmptyState icon={IconCircleCheck} title="No open incident">
                Rules are looked at every 10 seconds.
              </EmptyState>
            }
          />
        </Section>
        <Section id="ended" title="Ended">
          <DataTable
            label="Ended incidents"
            columns={ENDED}
            {...rowsOf(ended)}
            empty={
              <EmptyState icon={IconHistory} title="None has ended yet">
                They are kept for 400 days.
              </EmptyState>
            }
          />
        </Section>
      </Stack>
    </>
  );
}

function What(incident: Incident): ReactElement {
  const { id, cause, recovery, numbers, state } = incident;
  return (
    <>
      <ThingLink kind="incident" id={id} name={cause} fw={500} />
      <Text variant="aside">{state === 'ended' ? recovery : numbersInWords(incident, numbers)}</Text>
      <QuietNote {...incident} />
    </>
  );
}
