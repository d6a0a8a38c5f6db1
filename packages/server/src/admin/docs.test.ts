import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAULTS } from '../core/fault.ts';
import { openWorld, TOKEN, type World } from './test-server.ts';

const docs = readFileSync(new URL('../../../../docs/http-api.md', import.meta.url), 'utf8');

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('the docs list exactly the codes there are, with their status', () => {
  const rows = [...docs.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| /gm)].map(([, code, status]) => [code, Number(status)]);
  expect(rows).toEqual(Object.entries(FAULTS).map(([code, [status]]) => [code, status]));
});

test('the docs list exactly the routes of the OpenAPI document', async () => {
  const { paths } = (await world.get('/api/openapi.json')).body as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = docs
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`((?:GET|POST|PATCH|DELETE) [^`]+)`/g)])
    .map(([, route]) => route);
  expect(listed.sort()).toEqual(described.sort());
});

test('every example of the admin API works as it stands', async () => {
  const { id: SOURCE, writeKey: WRITE_KEY } = await world.source();
  const { id: DESTINATION } = await world.destination();
  await world.accept(SOURCE, ['m1']);
  const variables = { ORIGIN: world.origin, TOKEN, SOURCE, WRITE_KEY, DESTINATION };
  const examples = [...docs.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block]) => (block ?? '').split(/^(?=curl )/m))
    .filter((command) => command.startsWith('curl ') && command.includes('/api/'));
  expect(examples.length).toBeGreaterThanOrEqual(9);
  for (const example of examples) {
    const { url, init } = requestOf(words(example, variables));
    const answer = await fetch(url, init);
    expect(answer.ok, `${example}\n${await answer.text()}`).toBe(true);
  }
});

/** The words of a shell command: quotes, line ends that are escaped, and variables outside single quotes. */
function words(command: string, variables: Readonly<Record<string, string>>): string[] {
  const fill = (text: string): string =>
    text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? `?${name}`);
  const found: string[] = [];
  for (const [word] of command
    .trim()
    .replaceAll('\\\n', ' ')
    .matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const pieces = word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g);
    found.push([...pieces].map(([, single, double, bare]) => single ?? fill(double ?? bare ?? '')).join(''));
  }
  return found;
}

/** What curl would send. */
function requestOf([, ...args]: readonly string[]): { url: string; init: RequestInit } {
  const headers: Record<string, string> = {};
  let url = '';
  let method = 'GET';
  let body: string | null = null;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '-sS') continue;
    if (!arg.startsWith('-')) {
      url = arg;
      continue;
    }
    const value = args[++i] ?? '';
    if (arg === '-X') method = value;
    else if (arg === '-d') body = value;
    else if (arg === '-H') headers[value.split(': ')[0] ?? ''] = value.split(': ')[1] ?? '';
    else throw new Error(`The example uses ${arg}, which this test doesn't know`);
  }
  return { url, init: { method, headers, body } };
}
