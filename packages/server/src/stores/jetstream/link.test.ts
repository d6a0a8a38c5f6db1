import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { needNats, startNats } from '../../../../../test/cluster/nats.ts';
import { need } from '../../../../../test/needs.ts';
import { Certificates } from '../../../../../test/system/kit/certificates.ts';
import { Link } from './link.ts';

const nats = await needNats();
const openssl = await need('openssl');

test.skipIf(!nats)(
  'a link that was refused for a while comes back once, and says so once',
  async () => {
    const users = (password: string): string => `authorization { users: [{ user: m, password: ${password} }] }`;
    const { servers, folder, stop } = await startNats({ config: users('m') });
    const [server] = servers;
    const path = join(folder, `${server?.name}.conf`);
    const rewrite = (from: string, to: string): void =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(users(from), users(to)));
    const changes: boolean[] = [];
    let refusals = 0;
    const link = await Link.open({
      url: `nats://m:m@127.0.0.1:${server?.port}`,
      name: 'test',
      report: () => refusals++,
      changed: (reason) => changes.push(reason === null),
    });
    let returns = 0;
    link.onReturn(() => returns++);
    try {
      await server?.kill();
      rewrite('m', 'other');
      await server?.start();
      await expect.poll(() => refusals).toBeGreaterThan(3);
      await server?.kill();
      rewrite('other', 'm');
      await server?.start();
      await link.up();
      // All else that there is to say of it has been said by then.
      await link.nc.flush();
      await link.nc.flush();
      expect(changes).toEqual([false, true]);
      expect(returns).toBe(1);
    } finally {
      await link.close();
      await stop();
    }
  },
  60_000,
);

test.skipIf(!nats || !openssl)('a certificate that can’t be trusted is no missing server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { cert, key } = new Certificates(folder).authority;
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const tls = `tls { cert_file: "${join(folder, 'cert.pem')}", key_file: "${join(folder, 'key.pem')}" }`;
  const { url, stop } = await startNats({ config: tls });
  onTestFinished(stop);
  const opening = Link.open({ url: url.replace('nats:', 'tls:'), name: 'test', report: () => undefined });
  await expect(opening).rejects.toThrow(
    /The certificate of NATS at 127\.0\.0\.1:\d+ can't be trusted \(.*self-signed.*\)\. Name the host .*NODE_EXTRA_CA_CERTS/,
  );
});
