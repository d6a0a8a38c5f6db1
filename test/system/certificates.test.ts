import { afterAll, describe, expect, test } from 'vitest';
import { need } from '../needs.ts';
import { type Certificate, Certificates } from './kit/certificates.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const openssl = await need('openssl');
const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

describe.skipIf(!openssl)('contract 3: https endpoints', () => {
  const made = openssl ? new Certificates(folder) : null;
  const trusting = sharedService(made ? { NODE_EXTRA_CA_CERTS: made.authority.file } : {});
  const make = (kind: (certificates: Certificates) => Certificate) => (): Certificate => {
    if (!made) throw new Error('there is no openssl');
    return kind(made);
  };

  test.each([
    ['self-signed', make((all) => all.selfSigned('self')), 'certificate_self_signed'],
    ['expired', make((all) => all.signed('expired', 'DNS:localhost', -1)), 'certificate_expired'],
    ['of another host', make((all) => all.signed('other', 'DNS:example.com')), 'certificate_wrong_host'],
  ] as const)(
    '%s: an error is raised, the message fails, and no byte of the request is sent',
    async (_, certificate, error) => {
      const receiver = await receive(200, { tls: certificate() });
      const source = await trusting.source();
      const destination = await trusting.destination(source, receiver.url('/hook', 'localhost'));
      const messageId = await trusting.accept(source);
      const { lanes } = await trusting.tracedAs(messageId, 'failed');
      expect(lanes).toMatchObject([{ reason: 'rejected', attempts: [{ status: null, error }] }]);
      expect((await trusting.status(destination)).urls[0]?.lastError).toMatch(/^The certificate /);
      expect(receiver.connections).toBeGreaterThan(0);
      expect(receiver.arrived).toBe(0);
      expect(receiver.bytesInside).toBe(0);
    },
  );

  test('one of an authority that is not known is refused, and NODE_TLS_REJECT_UNAUTHORIZED changes nothing', async () => {
    const service = await startService({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    const receiver = await receive(200, { tls: make((all) => all.signed('unknown', 'DNS:localhost'))() });
    const source = await service.source();
    await service.destination(source, receiver.url('/hook', 'localhost'));
    const { lanes } = await service.tracedAs(await service.accept(source), 'failed');
    expect(lanes).toMatchObject([{ attempts: [{ status: null, error: expect.stringMatching(/^certificate_/) }] }]);
    expect(receiver.bytesInside).toBe(0);
  });

  test('one that can be trusted is delivered to, by name and by address', async () => {
    const receiver = await receive(200, { tls: make((all) => all.signed('good', 'DNS:localhost,IP:127.0.0.1'))() });
    const source = await trusting.source();
    const destination = await trusting.destination(source, [
      receiver.url('/name', 'localhost'),
      receiver.url('/address'),
    ]);
    const messageId = await trusting.accept(source);
    expect((await receiver.waitFor(2)).map(({ path }) => path).sort()).toEqual(['/address', '/name']);
    expect(await trusting.settled(destination, 1)).toMatchObject({ processed: 1 });
    expect((await trusting.trace(messageId)).lanes[0]?.attempts).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  test('http against a port that speaks https, and the other way round, is no success', async () => {
    const receiver = await receive(200, { tls: make((all) => all.selfSigned('plain'))() });
    const plain = await receive();
    const source = await trusting.source();
    const urls = [receiver.url().replace('https', 'http'), plain.url().replace('http', 'https')];
    const destination = await trusting.destination(source, urls);
    await trusting.accept(source);
    expect(await trusting.settled(destination, 1)).toMatchObject({ failed: 1 });
  });
});
