import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { systemClock } from '../core/clock.ts';
import type { Event } from '../core/event.ts';
import type { Source } from '../core/source.ts';
import { createServer, type ServerOptions } from '../http/server.ts';
import { Rejections } from '../observe/rejections.ts';
import { Admission } from './admission.ts';
import { type CollectorNeeds, createCollector } from './collector.ts';
import { collectionUrl } from './paths.ts';
import { collectRoutes } from './routes.ts';

/** The collection API on a real server, in front of a log that only remembers. For tests. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly events: Event[];
  readonly rejections: Rejections;
  isDiskShort: boolean;
  /** Replaces the append of the log. */
  append: CollectorNeeds['append'];
  /** The delivered bodies, parsed. */
  bodies(): Record<string, unknown>[];
  close(): Promise<void>;
}

export const SOURCE: Source = {
  id: 's1',
  name: 'Shop',
  type: 'server',
  writeKey: 'wk_test',
  enabled: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  oldKey: null,
};

export async function startTestServer(
  sources: readonly Source[] = [SOURCE],
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const app = createServer({ logger: pino({ level: 'silent' }), trustProxy: false, ...options, urlOf: collectionUrl });
  const byWriteKey = new Map(sources.map((source) => [source.writeKey, source]));
  const findSource = (key: string): Source | undefined => byWriteKey.get(key);
  const events: Event[] = [];
  const rejections = new Rejections();
  const admission = new Admission({
    clock: systemClock,
    nodes: () => 1,
    today: () => 0,
    addressKey: (address) => address,
    isDiskShort: () => server.isDiskShort,
  });
  const server = {
    isDiskShort: false,
    append: async (batch: readonly Event[]) => {
      events.push(...batch);
      return { duplicates: [] };
    },
  } as Pick<TestServer, 'append' | 'isDiskShort'> as TestServer;
  const collect = createCollector({
    suppressed: new Set(),
    append: (batch) => server.append(batch),
    findSource,
    admission,
    clock: systemClock,
    rejections,
    meter: { accepted: () => undefined, duplicates: () => undefined, rejected: () => undefined },
  });
  await collectRoutes(app, { collect, findSource, refused: () => undefined });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return Object.assign(server, {
    url: `http://127.0.0.1:${port}`,
    port,
    events,
    rejections,
    bodies: () => events.map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>),
    close: () => app.close(),
  });
}
