import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addUp } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { ask } from '../system/kit/http.ts';
import { Load } from '../system/kit/load.ts';
import { receive } from '../system/kit/receiver.ts';
import { Service } from '../system/kit/service.ts';
import { sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';

const nats = await needNats();

describe.skipIf(!nats)('a node that is added under load', () => {
  const servers = sharedServers();

  test('delivers beside the others, which are not started again, and takes over from one that leaves', async () => {
    const ground = { ...(await servers.ground()), MILLRACE_LOG_LEVEL: 'warn' };
    const [one, two] = [new Service(ground), new Service(ground)];
    for (const node of [one, two]) onTestFinished(() => node.close());
    await one.start();
    const { pid } = one;
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await one.destination(source, receiver.url());
    const load = new Load(one, source, { parallel: 2, size: () => 10 });
    load.start();
    await eventually(
      () => deliveredBy(one),
      (count) => count > 100,
    );

    await two.start();
    const before = await deliveredBy(one);
    await eventually(
      () => Promise.all([deliveredBy(one), deliveredBy(two)]),
      ([first = 0, second = 0]) => first > before + 100 && second > 100,
    );
    expect(one.pid).toBe(pid);
    await load.stop();
    expect(await one.stop()).toMatchObject({ code: 0 });

    const { accepted } = addUp(await two.counts(destination));
    expect(await two.settled(destination, accepted)).toMatchObject({ processed: accepted });
    const ids = new Set(receiver.arrivals.map(({ message }) => message['messageId']));
    expect([...load.accepted].filter((id) => !ids.has(id))).toEqual([]);
  });
});

describe.skipIf(!nats)('a node that finds something else than NATS', () => {
  const servers = sharedServers();

  test('says so, and ends', async () => {
    const silent = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const node = new Service({ ...(await servers.ground()), MILLRACE_NATS_URL: `nats://127.0.0.1:${port}` });
    await expect(node.start()).rejects.toThrow(/the service ended \(1\).*cannot start: No NATS server answers at/s);
    await node.close();
  });
});

/** Requests of deliveries that this node has made. */
async function deliveredBy({ url }: Service): Promise<number> {
  const { text } = await ask(`${url}/metrics`);
  return [...text.matchAll(/^millrace_deliveries_total\{[^}]*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}
