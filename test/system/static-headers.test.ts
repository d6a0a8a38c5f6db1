import { describe, expect, test } from 'vitest';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

describe('contract 7: static headers', () => {
  test('are added to every request to their own URL, values with colons and all', async () => {
    const receiver = await receive(({ attempt }) => (attempt === 1 ? 500 : 200));
    const source = await service.source();
    const headers = {
      'X-Team': 'growth',
      Authorization: 'Bearer abc:def',
      'X-Colons': 'a:b:c: d',
      "x_lower!#$%&'*+-.^`|~9": '1',
      'X-Empty': '',
    };
    await service.destination(source, [], {
      settings: {
        webhooks: [
          { url: receiver.url('/a'), headers },
          { url: receiver.url('/b'), headers: { 'X-Team': 'sales' } },
        ],
      },
    });
    await service.accept(source);
    await receiver.waitFor(4);
    for (const arrival of receiver.on('/a')) {
      for (const [name, value] of Object.entries(headers)) {
        const at = arrival.rawHeaders.indexOf(name);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(arrival.rawHeaders[at + 1]).toBe(value);
      }
    }
    for (const { headers: got } of receiver.on('/b')) {
      expect(got['x-team']).toBe('sales');
      expect(got).not.toHaveProperty('authorization');
    }
  });

  test.each([
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Content-Type',
    'User-Agent',
    'X-Signature',
    'host',
    'CONTENT-TYPE',
    'x-signature',
  ])('%s cannot be set', async (name) => {
    const problem = await create({ [name]: 'x' });
    expect(problem).toMatchObject({ status: 400, code: 'invalid_input' });
    expect(JSON.stringify(problem.errors).toLowerCase()).toContain(name.toLowerCase());
    expect(problem.errors?.[0]?.path).toMatch(/^settings\.webhooks\.0\.headers/);
  });

  test.each(['', 'X Team', 'X-Team:', 'X-Tëam', 'X\r\nY', 'X(1)', 'X/1', 'X\0', '"X"'])(
    '%j is no name',
    async (name) => {
      expect(await create({ [name]: 'x' })).toMatchObject({ status: 400, code: 'invalid_input' });
    },
  );

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\0b', '\x7f', 'a\x01b'])('%j is no value', async (value) => {
    expect(await create({ 'X-Team': value })).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  test.each([[1], [null], [true], [['a']], [{}]])('%j is no text', async (value) => {
    expect(await create({ 'X-Team': value })).toMatchObject({ status: 400, code: 'invalid_input' });
  });

  function create(headers: object): ReturnType<typeof service.refused> {
    const webhooks = [{ url: 'http://127.0.0.1:9/', headers }];
    return service.refused('POST', '/api/destinations', { name: 'CRM', type: 'Webhooks', settings: { webhooks } });
  }
});

describe('contract 4: webhook URLs per destination', () => {
  test.each([
    [5, 201],
    [6, 400],
    [0, 400],
  ])('%i: %i', async (count, status) => {
    const webhooks = Array.from({ length: count }, (_, n) => ({ url: `http://127.0.0.1:9/${n}` }));
    const answer = await service.api('POST', '/api/destinations', {
      name: 'CRM',
      type: 'Webhooks',
      settings: { webhooks },
    });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.text).toContain('settings.webhooks');
  });
});
