import { Card, Stepper } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';

/** The steps to the first delivery, in place of an overview of nothing. */
export function FirstRun({ overview }: { readonly overview: Overview }): ReactElement {
  const active = overview.sources.length === 0 ? 0 : 1;
  return (
    <Card padding="lg" maw={720}>
      <Stepper active={active} orientation="vertical">
        <Stepper.Step label="Create a source" description="Where your calls come from: a website, an app, a server." />
        <Stepper.Step
          label="Connect a destination"
          description="Up to five webhook URLs that get every call, signed."
        />
        <Stepper.Step label="Send a test event" description="With your source's write key, as your clients will." />
        <Stepper.Step label="See it arrive" description="Within a second, with its status and its latency." />
      </Stepper>
    </Card>
  );
}
