import { describe, expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const service = sharedService({ MILLRACE_ALLOW_PRIVATE_URLS: null });

const REFUSED: readonly (readonly [family: string, hosts: readonly string[]])[] = [
  ['loopback', ['127.0.0.1', '127.8.9.10', '127.255.255.254', '[::1]', 'localhost', 'LOCALHOST']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '[::]']],
  ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1']],
  ['link-local', ['169.254.0.1', '[fe80::1]']],
  ['cloud metadata', ['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]']],
  ['unique-local', ['[fc00::1]', '[fd12:3456::1]']],
  ['multicast', ['224.0.0.1', '239.255.255.255', '[ff02::1]']],
  ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
  ['NAT64', ['[64:ff9b::7f00:1]', '[64:ff9b::808:808]']],
  ['6to4', ['[2002:7f00:1::]', '[2002:808:808::1]']],
  ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '[2001:db8::1]']],
  ['reserved', ['240.0.0.1', '255.255.255.255', '198.18.0.1']],
  ['IPv4 in other forms', ['2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.1', '017700000001']],
  [
    'IPv4-mapped IPv6',
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[0:0:0:0:0:ffff:c0a8:1]', '[::127.0.0.1]'],
  ],
];

describe('contract 6: addresses are refused at save time', () => {
  test.each(REFUSED.flatMap(([family, hosts]) => hosts.map((host) => [family, host] as const)))(
    '%s: %s',
    async (_, host) => {
      const source = await service.source();
      for (const url of [`http://${host}/`, `https://user@${host}:8443/x`]) {
        const problem = await service.refused('POST', '/api/destinations', {
          name: 'CRM',
          type: 'Webhooks',
          sourceIds: [source.id],
          settings: { webhooks: [{ url: 'https://8.8.8.8/' }, { url }] },
        });
        expect(problem.status).toBe(400);
        if (url.includes('@')) continue;
        expect(problem).toMatchObject({ code: 'address_not_allowed', errors: [{ path: 'settings.webhooks.1.url' }] });
        // The error names the setting.
        expect(JSON.stringify(problem)).toContain('MILLRACE_ALLOW_PRIVATE_URLS');
      }
    },
  );

  test('when a destination is changed, too', async () => {
    const destination = await service.destination(await service.source(), 'https://8.8.8.8/');
    const change = { settings: { webhooks: [{ url: 'http://192.168.1.1/' }] } };
    expect(await service.refused('PATCH', `/api/destinations/${destination.id}`, change)).toMatchObject({
      code: 'address_not_allowed',
    });
    expect(await service.must('GET', `/api/destinations/${destination.id}`)).toMatchObject({
      settings: { webhooks: [{ url: 'https://8.8.8.8/' }] },
    });
  });

  test.each(['8.8.8.8', '[2606:4700::1111]', 'no-such-host.invalid', '172.32.0.1', '100.128.0.1'])(
    '%s is accepted',
    async (host) => {
      const destination = await service.destination(await service.source(), `https://${host}/hook`, { sourceIds: [] });
      expect(destination.settings.webhooks[0]?.url).toContain('/hook');
    },
  );
});

test.each([
  'ftp://example.com/',
  'example.com/hook',
  '/hook',
  'javascript:alert(1)',
  'http://',
  '',
  'https://exa mple.com',
  'file:///etc/passwd',
])('contract 6: %j is no full URL with http or https', async (url) => {
  const problem = await service.refused('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    settings: { webhooks: [{ url }] },
  });
  expect(problem).toMatchObject({ status: 400, errors: [{ path: 'settings.webhooks.0.url' }] });
});

test('contract 6: refused again at connection time, without a connection; permanent, and an error on the destination', async () => {
  const own = await startService();
  const receiver = await receive();
  const source = await own.source();
  const urls = [receiver.url(), receiver.url('/', 'localhost'), receiver.url('/', '[::ffff:127.0.0.1]')];
  const destinations: Destination[] = [];
  for (const url of urls) destinations.push(await own.destination(source, url));
  await own.stop();
  await own.start({ MILLRACE_ALLOW_PRIVATE_URLS: 'false' });
  await own.accept(source);
  for (const destination of destinations) {
    expect(await own.settled(destination, 1)).toMatchObject({ failed: 1 });
    const [delivery] = (await own.deliveries({ destinationId: destination.id })).items;
    expect(delivery).toMatchObject({
      state: 'failed',
      reason: 'rejected',
      rounds: 1,
      attempts: [{ error: 'address_not_allowed', status: null }],
    });
    expect((await own.status(destination)).urls[0]?.lastError).toMatch(/address/i);
  }
  expect(receiver.connections).toBe(0);
});
