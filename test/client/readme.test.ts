import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../packages/client/bundle.ts';
import { builtPackage, PACKAGE, ROOT, tool } from '../../packages/client/test/built-package.ts';
import { runNode } from '../../packages/client/test/run-node.ts';
import { startScriptedServer } from '../../packages/client/test/scripted-server.ts';
import { Room, type SentCall } from '../../packages/client/test/server-script.ts';
import { openBrowser } from '../browser/browser.ts';

const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const server = await startScriptedServer();
const project = await builtPackage();
symlinkSync(join(ROOT, 'node_modules/fastify'), join(project.folder, 'node_modules/fastify'));

afterAll(async () => {
  await server.close();
  project[Symbol.dispose]();
});

/** An example as it is written there, for a service that is somewhere else. */
function example(name: string, endpoint: string): string {
  const code = new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (code === undefined) throw new Error(`README.md has no example called ${name}`);
  return code.replaceAll('http://127.0.0.1:8080', endpoint).replaceAll('<WRITE_KEY>', 'wk');
}

/** Runs an example, followed by what a user's surroundings would do with it; answers the calls that came. */
async function run(name: string, around: string): Promise<readonly SentCall[]> {
  const room = await Room.open(server.url);
  project.write(`${name}.mjs`, example(name, room.endpoint));
  const main = project.write(`${name}-main.mjs`, around);
  const { code, stderr } = await runNode([main], { cwd: project.folder });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return room.calls();
}

const ORDER = expect.objectContaining({ type: 'track', userId: 'u1', event: 'Order Completed' });

test('Node', async () => {
  const calls = await run('node', `import './node.mjs';`);
  expect(calls).toEqual([expect.objectContaining({ type: 'identify', traits: { plan: 'pro', logins: 5 } }), ORDER]);
});

/** Express calls a handler with Node's own request and response, and so does this. */
test('Express', async () => {
  const calls = await run(
    'express',
    `import { createServer } from 'node:http';
     import { placeOrder } from './express.mjs';
     const server = createServer(placeOrder).listen(0, '127.0.0.1', async () => {
       const answer = await fetch('http://127.0.0.1:' + server.address().port, { headers: { 'user-agent': 'me' } });
       if (await answer.text() !== 'thank you') throw new Error('not answered');
       server.close();
       server.closeAllConnections();
     });`,
  );
  expect(calls).toEqual([ORDER]);
  expect(calls[0]?.['context']).toEqual({ userAgent: 'me' });
});

test('Fastify', async () => {
  const calls = await run(
    'fastify',
    `import { app } from './fastify.mjs';
     const answer = await app.inject({ method: 'POST', url: '/orders', payload: { total: 5 } });
     if (answer.statusCode !== 200) throw new Error(answer.body);
     await app.close();`,
  );
  expect(calls).toEqual([ORDER]);
  expect(calls[0]?.['properties']).toEqual({ total: 5 });
});

test('Next.js route handler', async () => {
  const calls = await run(
    'next',
    `import { POST } from './next.mjs';
     const body = JSON.stringify({ userId: 'u1' });
     const answer = await POST(new Request('http://localhost/orders', { method: 'POST', body }));
     if (!(await answer.json()).ok) throw new Error('not answered');`,
  );
  expect(calls).toEqual([ORDER]);
});

test('AWS Lambda', async () => {
  const calls = await run(
    'lambda',
    `import { handler } from './lambda.mjs';
     if ((await handler({ userId: 'u1' })).statusCode !== 200) throw new Error('not answered');
     process.exit();`,
  );
  expect(calls).toEqual([ORDER]);
});

test('Cloudflare Workers', async () => {
  const calls = await run(
    'worker',
    `import worker from './worker.mjs';
     let done;
     const ctx = { waitUntil(promise) { done = promise; } };
     const answer = await worker.fetch(new Request('http://localhost/page'), { WRITE_KEY: 'wk' }, ctx);
     if (await answer.text() !== 'ok') throw new Error('not answered');
     await done;
     process.exit();`,
  );
  expect(calls).toEqual([expect.objectContaining({ type: 'page', properties: { url: 'http://localhost/page' } })]);
});

describe('browser', () => {
  const browser = openBrowser();

  /** A page of a site with these files; answers it once it is open. */
  async function openPage(head: string, files: Readonly<Record<string, string>> = {}): Promise<Page> {
    const html = `<!doctype html><html lang="en"><title>Shop</title>${head}</html>`;
    const site = createServer((request, response) => {
      const script = files[request.url ?? ''];
      response.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript').end(script ?? html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      site.close();
      site.closeAllConnections();
    });
    const page = await browser.newPage();
    const script = await bundle(join(PACKAGE, 'src/analytics/script.ts'), { format: 'iife' });
    await page.route('**/analytics.js/v1/wk/analytics.min.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    return page;
  }

  test('delivers by the script of the service', async () => {
    const room = await Room.open(server.url);
    await openPage(example('script', room.endpoint));
    await expect.poll(() => room.calls()).toHaveLength(3);
    const calls = await room.calls();
    expect(calls.map(({ type }) => type)).toEqual(['page', 'identify', 'track']);
    expect(calls[2]).toEqual(ORDER);
  });

  test('delivers from a script tag', async () => {
    const room = await Room.open(server.url);
    const script = readFileSync(join(project.installed, 'dist/millrace.min.js'), 'utf8');
    const page = await openPage(example('browser', room.endpoint), { '/millrace.min.js': script });
    await page.evaluate('client.close()');
    expect(await room.calls()).toEqual([expect.objectContaining({ type: 'page', anonymousId: 'a1', name: 'Shop' })]);
  });
});

test('typed events', async () => {
  writeFileSync(join(project.folder, 'typed.ts'), example('typed', 'http://127.0.0.1:8080'));
  // In the three ways TypeScript finds the package: as Node, as a bundler, as a bundler for browsers.
  for (const more of [{ module: 'nodenext' }, BUNDLER, { ...BUNDLER, customConditions: ['browser'] }]) {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable', 'dom'],
      strict: true,
      types: [],
      ...more,
    };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    expect(await tool('tsc', ['--noEmit', '-p', join(project.folder, 'tsconfig.json')])).toBe('');
  }
});

const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };

test('every example is run', () => {
  const names = [...readme.matchAll(/<!-- example: (\w+) -->/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual([
    'browser',
    'express',
    'fastify',
    'lambda',
    'next',
    'node',
    'script',
    'typed',
    'worker',
  ]);
  expect(readme.match(/```\w+\n/g)?.length).toBe(names.length);
});

test('the options are those of the table', () => {
  const declared = [...readFileSync(join(PACKAGE, 'src/options.ts'), 'utf8').matchAll(/^ {2}readonly (\w+)\?:/gm)];
  const told = /## Options\n\n([\s\S]*?)\n\n/.exec(readme)?.[1]?.matchAll(/^\| `(\w+)`(?:, or `(\w+)`)?/gm) ?? [];
  const names = [...told].flatMap(([, name, other]) => [name, other]).filter((name) => name !== undefined);
  expect(names.toSorted()).toEqual(declared.map(([, name]) => name).toSorted());
});
