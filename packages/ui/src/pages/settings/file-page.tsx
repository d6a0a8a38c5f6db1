import { Stack, Tabs } from '@mantine/core';
import type { ReactElement } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { ApplyFile } from './apply-file.tsx';
import { ExportFile } from './export-file.tsx';

/** The whole set-up as one YAML file: to keep in version control, and to be made again from it. */
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
