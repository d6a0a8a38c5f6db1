import { describe, expect, test } from 'vitest';
import { checkAddress, checkUrl, MAX_URL_LENGTH, type Refusal, type Resolve } from './address.ts';
import { Reach } from './reach.ts';

describe('addresses', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
  ])('%s is public', (ip) => {
    expect(checkAddress(ip)).toBe(null);
  });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['::ffff:192.168.1.1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fec0::1', 'site-local'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved or documentation'],
    ['192.0.0.192', 'reserved or documentation'],
    ['192.0.2.1', 'reserved or documentation'],
    ['198.51.100.1', 'reserved or documentation'],
    ['203.0.113.1', 'reserved or documentation'],
    ['198.18.0.1', 'reserved or documentation'],
    ['2001:db8::1', 'reserved or documentation'],
    ['3fff::1', 'reserved or documentation'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a00:1', 'NAT64'],
    ['::ffff:0:7f00:1', 'NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2001::1', 'Teredo'],
    ['100::1', 'discard'],
    ['::7f00:1', 'outside global unicast'],
    ['::127.0.0.1', 'loopback'],
    ['64:ff9b::8.8.8.8', 'NAT64'],
    ['4000::1', 'outside global unicast'],
    ['168.63.129.16', 'cloud metadata'],
    ['fe80::1%eth0', 'link-local'],
    ['example.com', 'not an IP address'],
    ['', 'not an IP address'],
  ])('%s is refused as %s', (ip, kind) => {
    expect(checkAddress(ip)).toBe(kind);
  });
});

/** Answers as a zone file would; no test asks a real name server. */
const zone: Resolve = async (hostname) => {
  const addresses: Record<string, readonly string[]> = {
    'public.test': ['8.8.8.8', '2606:4700::1'],
    'inside.test': ['10.0.0.7'],
    'mixed.test': ['8.8.8.8', '127.0.0.1'],
    'mapped.test': ['::ffff:10.0.0.7'],
  };
  const found = addresses[hostname];
  if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  return found;
};

const refusalOf = (allowPrivate: boolean): Refusal => {
  const reach = new Reach({ allowPrivate, isLocal: false });
  return (host, address) => reach.refusal(host, address);
};

const check = (url: string) => checkUrl(url, { refusal: refusalOf(false), resolve: zone });

describe('URLs that can be saved', () => {
  test.each([
    'https://public.test/webhook?team=growth',
    'http://public.test:8080',
    'https://8.8.8.8/',
    'https://[2606:4700::1]:8443/x',
    'https://not-there-yet.test/',
    'HTTPS://PUBLIC.TEST/',
    ' https://public.test/webhook\n',
    `https://public.test/${'a'.repeat(MAX_URL_LENGTH - 'https://public.test/'.length)}`,
  ])('%s', async (url) => {
    expect(await check(url)).toBe(null);
  });
});

describe('URLs that are not', () => {
  test.each([
    ['', 'written whole'],
    ['example.com/webhook', 'written whole'],
    ['/webhook', 'written whole'],
    ['https://', 'written whole'],
    ['https://exa mple.com/', 'written whole'],
    ['https://256.1.1.1/', 'written whole'],
    ['ftp://public.test/', 'http:// or https://'],
    ['file:///etc/passwd', 'http:// or https://'],
    ['javascript:alert(1)', 'http:// or https://'],
    ['http:/public.test/', 'and a host'],
    ['http:public.test', 'and a host'],
    ['https:///public.test/', 'and a host'],
    ['https:\\\\public.test/', 'and a host'],
    ['https://public.test/a\nb', 'line break'],
    ['https://public\t.test/', 'tab'],
    ['https://public.test/\u0000', 'control character'],
    ['https://user:secret@public.test/', 'Authorization header'],
    ['https://user@public.test/', 'Authorization header'],
    ['https://public.test/#top', 'fragment'],
    ['https://public.test/#', 'fragment'],
    ['https://public.test:0/', 'Port 0'],
    [`https://public.test/${'a'.repeat(MAX_URL_LENGTH)}`, '2048'],
    [`https://public.test/${'é'.repeat(400)}`, '2048'],
  ])('%s', async (url, words) => {
    expect(await check(url)).toEqual({ code: 'invalid_input', message: expect.stringContaining(words) });
  });

  test.each([
    'http://127.0.0.1:8080/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://127。0。0。1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://inside.test/',
    'http://mixed.test/',
    'http://mapped.test/',
  ])('%s is no public address', async (url) => {
    expect(await check(url)).toEqual({
      code: 'address_not_allowed',
      message: expect.stringContaining('MILLRACE_ALLOW_PRIVATE_URLS'),
    });
  });

  test('localhost, as this machine resolves it', async () => {
    expect(await checkUrl('http://localhost/', { refusal: refusalOf(false) })).toMatchObject({
      code: 'address_not_allowed',
    });
  });
});

test('the setting lifts the guard on addresses, and nothing else', async () => {
  const lifted = (url: string) => checkUrl(url, { refusal: refusalOf(true), resolve: zone });
  expect(await lifted('http://127.0.0.1:8080/')).toBe(null);
  expect(await lifted('http://inside.test/')).toBe(null);
  expect(await lifted('ftp://127.0.0.1/')).toMatchObject({ code: 'invalid_input' });
});
