import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LiveEvent, LiveRate } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { Load } from './kit/load.ts';
import { ADMIN_TOKEN, type Service, startService } from './kit/service.ts';

/** A viewer of the live stream, as a browser is one. */
class Viewer {
  text = '';
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;

  constructor(service: Service, query = '') {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const sent = request(`${service.url}/api/events/live${query}`, { headers, agent: false });
    onTestFinished(() => void sent.destroy());
    this.ended = new Promise((resolve) => {
      sent.on('response', (response) => {
        response.setEncoding('utf8').on('data', (text: string) => {
          this.text += text;
        });
        response.on('end', resolve);
        // A stream that is cut is not one that was ended: the test waits for that in vain.
        response.on('error', () => undefined);
      });
    });
    sent.on('error', () => undefined);
    sent.end();
  }

  watching(): Promise<string> {
    return eventually(
      () => this.text,
      (text) => text.startsWith(': watching'),
    );
  }

  get events(): LiveEvent[] {
    return this.#messages('event') as LiveEvent[];
  }

  get rates(): LiveRate[] {
    return this.#messages('sampled') as LiveRate[];
  }

  #messages(kind: string): unknown[] {
    const messages = this.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm);
    return [...messages].flatMap(([, event, data]) => (event === kind ? [JSON.parse(data ?? '')] : []));
  }
}

describe('the live stream', () => {
  test('shows what is accepted, filtered; a stop ends it and waits for no viewer', async () => {
    const service = await startService();
    const source = await service.source();
    const all = new Viewer(service);
    const some = new Viewer(service, `?sourceId=${source.id}&text=${encodeURIComponent('GRÜSSE')}`);
    await Promise.all([all.watching(), some.watching()]);
    const ids = [
      await service.accept(source, { properties: { text: 'Grüße' } }),
      await service.accept(source, { properties: { text: 'viele grüsse' } }),
    ];
    const events = await eventually(
      () => all.events,
      ({ length }) => length === 2,
    );
    expect(events.map(({ messageId }) => messageId)).toEqual(ids);
    const [one] = await eventually(
      () => some.events,
      ({ length }) => length > 0,
    );
    expect(one).toMatchObject({ messageId: ids[1], event: 'Tested', userId: 'u1', type: 'track' });
    expect(one?.body).toBe((await service.trace(ids[1] ?? '')).sent);
    expect(some.events).toHaveLength(1);
    const exit = service.stop();
    await Promise.all([all.ended, some.ended]);
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  test('under load shows a sample, and says of how many', async () => {
    const service = await startService({ MILLRACE_LOG_LEVEL: 'info' });
    const source = await service.source();
    const viewer = new Viewer(service);
    await viewer.watching();
    const load = new Load(service, source, { parallel: 4, size: () => 100 });
    load.start();
    const rates = await eventually(
      () => viewer.rates,
      (all) => all.some(({ matched }) => matched > 500),
    );
    await load.stop();
    for (const { matched, sent, accepted } of rates) {
      expect(sent).toBeLessThanOrEqual(50);
      expect(matched).toBe(accepted);
      if (matched > 500) expect(sent).toBe(50);
    }
    const seen = viewer.events.map(({ messageId }) => messageId);
    expect(new Set(seen).size).toBe(seen.length);
    // What was still under way is summed up in a second to come.
    const sum = (all: readonly LiveRate[]): number => all.reduce((total, { accepted }) => total + accepted, 0);
    await eventually(
      () => sum(viewer.rates),
      (accepted) => accepted === load.accepted.size,
    );
  });
});
