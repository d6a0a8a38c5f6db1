import { Code, Mark, Stack, Text } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactElement, useEffect, useRef } from 'react';
import type { ProcessSetting } from '../../../../server/src/admin/contract.ts';
import { settingsFileApi } from '../../api/settings-file.ts';
import { CodeWords } from '../../components/code-words.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSession } from '../../shell/session.ts';

const COLUMNS: readonly Column<ProcessSetting>[] = [
  {
    header: 'Setting',
    width: '58%',
    cell: ({ name, help }) => (
      <>
        <SettingName name={name} />
        <Text c="dimmed" mt={2}>
          <CodeWords text={help} />
        </Text>
      </>
    ),
  },
  {
    header: 'Value',
    cell: ({ name, value, default: usual }) => (
      <Stack gap={4} align="flex-start">
        {value === '' ? <Text c="dimmed">not set</Text> : <Code>{value}</Code>}
        {name !== 'MILLRACE_ADMIN_TOKEN' && value !== (usual ?? '') && <StatusBadge tone="busy">changed</StatusBadge>}
      </Stack>
    ),
  },
  {
    header: 'Default',
    cell: ({ default: usual }) => (usual === null ? <Text c="dimmed">none</Text> : <Code>{usual}</Code>),
  },
];

/** If the address names this setting (`#MILLRACE_PORT`), it is marked and scrolled into view. */
function SettingName({ name }: { readonly name: string }): ReactElement {
  const { hash } = useLocation();
  const isChosen = name === hash;
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isChosen) text.current?.scrollIntoView({ block: 'center' });
  }, [isChosen]);
  return (
    <Text ref={text} ff="monospace" fw={500}>
      {isChosen ? <Mark>{name}</Mark> : name}
    </Text>
  );
}

/** The settings of the process. They are set at its start, and read-only here. */
export function GeneralPage(): ReactElement {
  const { version } = useSession();
  const list = useQuery(settingsFileApi.process());
  const retention = list.data?.find(({ name }) => name === 'MILLRACE_RETENTION')?.value;
  return (
    <>
      <PageHeader
        title="General"
        documentTitle="Settings"
        description={`Millrace ${version}. These settings are environment variables or flags of the process: change them where it is started, and restart it.`}
      />
      <Stack gap="md">
        {retention !== undefined && (
          <SectionCard title={`Events are kept for ${retention}`}>
            <Text c="dimmed" maw={860}>
              An event, its attempts and what became of it can be looked at and sent again for that long. What still
              waits for delivery is kept until it is delivered or given up. What is paused fails then, and in a cluster
              all that waits. Charts go back for that long. The counts of a destination stay, and the audit log is kept
              for 400 days. Space is given back in steps of a seventh of that time, at most a day.
            </Text>
          </SectionCard>
        )}
        <DataTable
          label="Settings of the process"
          columns={COLUMNS}
          {...rowsOf(list)}
          rowKey={({ name }) => name}
          empty={<EmptyState icon={IconSettings} title="The process has no settings" />}
        />
      </Stack>
    </>
  );
}
