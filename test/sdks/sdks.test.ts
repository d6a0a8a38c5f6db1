import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectCalls } from './calls.ts';
import { go, type Install, maven, npm, pip, run, unlessMissing } from './install.ts';

const service = sharedService();

const PROGRAMS = join(import.meta.dirname, 'programs');

const SDKS: readonly [name: string, version: string, install: Install, program: string, lacks?: 'screen'][] = [
  ['@segment/analytics-node', '3.1.0', npm, 'segment-node.js'],
  ['analytics-node', '6.2.0', npm, 'analytics-node.js'],
  ['@rudderstack/rudder-sdk-node', '3.0.13', npm, 'rudder-node.js'],
  ['segment-analytics-python', '2.4.0', pip, 'segment-python.py'],
  ['rudder-sdk-python', '2.1.9', pip, 'rudder-python.py'],
  ['com.segment.analytics.java:analytics', '3.5.0', maven, 'Program.java'],
  ['github.com/segmentio/analytics-go', 'v2.1.1', go, 'v2.go', 'screen'],
  ['github.com/segmentio/analytics-go/v3', 'v3.3.0', go, 'v3.go'],
];

test.for(SDKS)('%s %s sends its calls', async ([name, version, install, program, lacks], { skip }) => {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  await unlessMissing(`${name} ${version}`, skip, async () => {
    const { command, args, env } = await install(folder, name, version, join(PROGRAMS, program));
    const send = async ({ writeKey }: { writeKey: string }): Promise<void> =>
      run(command, args, folder, { ...env, ENDPOINT: service.url, WRITE_KEY: writeKey });
    await expectCalls(service, send, lacks);
  });
});
