import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { settingsFileApi } from '../../api/settings-file.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { download } from '../../components/download.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { ApplyFile } from './apply-file.tsx';

/** All settings as one YAML file, to keep in version control and to apply again. */
export function FilePage(): ReactElement {
  return (
    <>
      <PageHeader
        title="Export & apply"
        documentTitle="Export & apply · Settings"
        description="Sources, destinations and alerts as one YAML file, to be kept in version control and applied elsewhere."
      />
      <Tabs defaultValue="export">
        <Tabs.List mb="md">
          <Tabs.Tab value="export">Export</Tabs.Tab>
          <Tabs.Tab value="apply">Apply a file</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="export">
          <ExportFile />
        </Tabs.Panel>
        <Tabs.Panel value="apply">
          <Stack gap="md">
            <ApplyFile />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const NAME = 'millrace.yaml';

function ExportFile(): ReactElement {
  // The file contains the values of static headers, so it is not cached after the page is left.
  const { data, error, refetch } = useQuery({ ...settingsFileApi.current(), gcTime: 0 });
  const mayChange = useMayChange();
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed" maw={620}>
          Write keys, shared secrets and URLs of {mayChange ? 'Slack channels' : 'alerts'} are not in it.{' '}
          {mayChange ? (
            <>
              Static headers are, with their values: put <code>{`\${NAME}`}</code> in their place before you share the
              file.
            </>
          ) : (
            'Static headers are, with •••• for their values, which only an admin sees: a file that has one can’t be applied.'
          )}
        </Text>
        {data && (
          <Group gap="xs">
            <CopyButton value={data.yaml} of="the file" wide />
            <Button
              size="xs"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => download(NAME, [data.yaml], 'application/yaml')}
            >
              Download {NAME}
            </Button>
          </Group>
        )}
      </Group>
      {data ? <CodeBlock code={data.yaml} label="settings file" height={640} /> : <Skeleton height={320} />}
    </Stack>
  );
}
