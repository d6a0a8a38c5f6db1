import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needNats, startNats } from '../../../../../test/cluster/nats.ts';
import { Link } from './link.ts';

const nats = await needNats();

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
      changed: (isUp) => changes.push(isUp),
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
