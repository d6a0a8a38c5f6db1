import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { startService } from './kit/service.ts';
import { Meter } from './worst/meter.ts';
import { Probe } from './worst/probe.ts';
import { authorization, Requests } from './worst/requests.ts';
import { type Document, type Route, routesOf } from './worst/routes.ts';
import { makeState } from './worst/state.ts';

/** So many requests lie between two of the ordinary ones. */
const BETWEEN = 40;
/** Of a route that hangs twice, the rest says nothing more, and each costs seconds. */
const MOST_HANGS = 2;
/** It takes a minute. Of code that breaks the rule everywhere, no more is asked after so long. */
const ASKED_MS = 400_000;
const MOST_MS = 500_000;

/** Calls before changes, changes before questions, and what forgets or removes things at the end. */
function inOrder(routes: readonly Route[]): Route[] {
  const place = ({ collects, method, path }: Route): number => {
    if (collects) return 0;
    if (method === 'DELETE') return 6;
    if (path.includes('rebuild')) return 5;
    if (method === 'GET') return 4;
    return path.includes('settings-file') ? 3 : 1;
  };
  return routes.toSorted((a, b) => place(a) - place(b));
}

test(
  'no request holds the loop for longer than five ordinary batches, or takes more than 64 MB',
  async () => {
    const folder = temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const probe = new Probe(folder);
    const service = await startService(
      { MILLRACE_LOG_LEVEL: 'info', ...probe.settings() },
      // What is measured is how long it takes; what it says of it is another matter.
      { mayLogErrors: true },
    );
    await probe.connect();
    onTestFinished(() => probe.close());
    const state = await makeState(service, await endpoint());
    const meter = new Meter(service, probe, authorization(state.bulk));
    onTestFinished(() => meter.close());

    const document = await service.must<Document>('GET', '/api/openapi.json');
    const routes = inOrder(routesOf(document));
    expect(routes.length).toBeGreaterThan(90);
    const requests = new Requests(document, state, meter);
    for (let time = 0; time < 10; time += 1) await meter.measureReference(time >= 5);
    let asked = 0;
    const end = performance.now() + ASKED_MS;
    const late: string[] = [];
    for (const route of routes) {
      let made = 0;
      let hangs = 0;
      for (const { name, make } of performance.now() > end ? [] : await requests.of(route)) {
        if (performance.now() > end) break;
        if (asked % BETWEEN === 0) await meter.measureReference();
        asked += 1;
        const { status, text, held } = await meter.hold(name, make);
        if (held === null) hangs += 1;
        if (hangs === MOST_HANGS) break;
        if (status !== 201 || route.path.includes('{')) continue;
        // Some of what was made stays, for the lists of it.
        made += 1;
        const { id } = JSON.parse(text) as { readonly id?: string };
        // A replay that goes on would be measured with what comes next.
        if (route.path === '/api/replays') await service.api('POST', `${route.path}/${id}/stop`);
        if (made > 3 && id !== undefined) await service.api('DELETE', `${route.path}/${id}`);
      }
      if (performance.now() > end) late.push(route.name);
    }
    const report = meter.report();
    expect(late, 'no time was left for all requests of these routes').toEqual([]);
    expect(report, `${report.length} of ${asked} requests break the rule:\n${report.join('\n')}`).toEqual([]);
  },
  MOST_MS,
);

/** A receiver that takes every delivery and keeps nothing. */
async function endpoint(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
}
