import { afterAll, describe, expect, test } from 'vitest';
import { coreSuite } from './core-suite.ts';
import { startScriptedServer } from './scripted-server.ts';

const server = await startScriptedServer();

afterAll(() => server.close());

describe('the core in Node', () => {
  for (const { name, run } of coreSuite({ server: server.url }))
    test(name, () => expect(run()).resolves.toBeUndefined());
});
