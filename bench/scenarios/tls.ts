import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certify } from '../../packages/server/src/deliver/test-certificates.ts';
import type { Bench } from '../bench.ts';
import { endToEnd } from '../measure.ts';
import { productSide, startProduct } from '../product.ts';
import { type Receiver, receiverAt } from '../receiver.ts';
import { dispatchLoop } from './ceilings.ts';
import type { Scenario } from './scenario.ts';

const DAY = 86_400_000;

/** An endpoint over one of the protocols, and what a process needs to trust it. */
interface Endpoint {
  readonly receiver: Receiver;
  readonly env: Record<string, string>;
}

export const tls: Scenario = {
  name: 'tls',
  title: 'Over TLS',
  about: `End to end as above, batches of 100, to an endpoint by Node's own servers, which costs more than the one above: over HTTP, and
over TLS on connections that are used again. Its certificate is trusted by \`NODE_EXTRA_CA_CERTS\`. Beside it undici's \`dispatch\`
alone, with 64 requests under way: on 64 connections over HTTP and TLS, and on one over HTTP/2.`,
  async run(bench) {
    await bench.withFolder(async (folder) => {
      const { http, https } = await endpoints(bench, folder);
      for (let round = 0; round < bench.options.rounds; round++) {
        for (const [id, what, { receiver, env }, protocol] of [
          ['http', 'POST out, undici dispatch, HTTP', http, 'h1'],
          ['https', 'POST out, undici dispatch, TLS', https, 'h1'],
          ['http2', 'POST out, undici dispatch, HTTP/2 over TLS', https, 'h2'],
        ] as const) {
          const figure = await dispatchLoop(bench, receiver.origin, protocol, env);
          bench.figures.record({ id: `tls/undici-${id}`, what, against: 'tls/undici-http', ...figure });
        }
        await product(bench, 'http', 'Millrace, batches of 100, 1 URL, HTTP', http);
        await product(bench, 'https', 'Millrace, batches of 100, 1 URL, TLS', https);
      }
    });
  },
};

async function product(bench: Bench, id: string, what: string, { receiver, env }: Endpoint): Promise<void> {
  await bench.withFolder(async (folder) => {
    const world = { ...bench, receiver };
    const side = await productSide(await startProduct(world, folder, env), ['/ok']);
    const figure = await endToEnd(world, side, 100);
    bench.figures.record({ id: `tls/product-${id}`, what, against: 'tls/product-http', ...figure });
    await side.stop();
  });
}

async function endpoints(bench: Bench, folder: string): Promise<{ http: Endpoint; https: Endpoint }> {
  const valid = { from: Date.now() - DAY, until: Date.now() + DAY };
  const issuer = certify({ name: 'Bench CA', authority: true, ...valid });
  const { pem, key } = certify({ name: 'localhost', host: 'localhost', issuer, ...valid });
  const [ca, certFile, keyFile] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([writeFile(ca, issuer.pem), writeFile(certFile, pem), writeFile(keyFile, key)]);
  const { pid, line } = await bench.processes.start(
    {
      name: 'the receiver',
      file: process.execPath,
      args: [join(import.meta.dirname, '../sides/web-receiver.ts'), certFile, keyFile],
    },
    /listening on (\d+) (\d+)/,
  );
  const stats = Number(line[1]);
  return {
    http: { receiver: receiverAt({ origin: `http://127.0.0.1:${stats}`, stats, pid, language: 'Node' }), env: {} },
    https: {
      receiver: receiverAt({ origin: `https://localhost:${line[2]}`, stats, pid, language: 'Node' }),
      env: { NODE_EXTRA_CA_CERTS: ca },
    },
  };
}
