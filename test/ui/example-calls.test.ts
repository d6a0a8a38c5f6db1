import { expect, test } from 'vitest';
import { systemClock } from '../../packages/server/src/core/clock.ts';
import { readTestCall } from '../../packages/server/src/test-message.ts';
import { EXAMPLE_CALLS } from '../../packages/ui/src/pages/destinations/example-calls.ts';

test.each(Object.entries(EXAMPLE_CALLS))('the service takes the example of type %s', async (type, call) => {
  expect(await readTestCall(systemClock, call)).toMatchObject({ type });
});
