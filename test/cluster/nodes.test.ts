import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  Destination,
  Incident,
  Page,
  Regulation,
  Replay,
  Stats,
} from '../../packages/server/src/admin/contract.ts';
import { Link } from '../../packages/server/src/stores/jetstream/link.ts';
import { addUp } from '../system/kit/admin.ts';
import { compacted } from '../system/kit/compaction.ts';
import { eventually } from '../system/kit/eventually.ts';
import { ask } from '../system/kit/http.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { Service } from '../system/kit/service.ts';
import { type ClusterServers, sharedServers, sharedTwo, startNodes } from './cluster.ts';
import { needNats } from './nats.ts';

const nats = await needNats();

describe.skipIf(!nats)('two nodes', () => {
  const servers = sharedServers();
  describe('that stay', () => {
    const shared = sharedTwo(servers, { MILLRACE_BACKUP_DIR: '/nowhere' });

    test('are one service: what is set up on one holds on the other, and counts are the same on both', async () => {
      const [one, two] = shared();
      const committed = async (name: string): Promise<number> =>
        metricOf((await ask(`${one.url}/metrics`)).text, `millrace_commit_${name}_sum`) ?? 0;
      const before = await committed('rows');
      const receiver = await receive(200);
      const source = await one.source();
      const destination = await one.destination(source, receiver.url());
      await one.accept(source, { messageId: 'm1' });
      // Within a second: until then the other one does not know the write key.
      await eventually(
        () => two.send(source, 'track', { event: 'E', userId: 'u', messageId: 'm2' }),
        ({ status }) => status === 200,
      );
      for (const node of [one, two]) expect(await node.settled(destination, 2)).toMatchObject({ processed: 2 });
      expect((await two.trace('m1', source)).lanes).toMatchObject([{ state: 'processed' }]);
      expect(await committed('rows')).toBe(before + 1);
      expect(await committed('duration_seconds')).toBeGreaterThan(0);
      const wish = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['nobody'] };
      const { id } = await one.must<Regulation>('POST', '/api/regulations', wish);
      for (const node of [one, two]) {
        await eventually(
          () => node.must<Regulation>('GET', `/api/regulations/${id}`),
          ({ status }) => status === 'finished',
        );
      }
      // Of the two that ask, one makes it.
      for (const node of [one, two]) {
        expect(await compacted(node, await node.must<Regulation>('POST', '/api/regulations', wish))).toBeDefined();
      }
      await two.must('PATCH', `/api/destinations/${destination.id}`, { enabled: false });
      expect(await one.must<Destination>('GET', `/api/destinations/${destination.id}`)).toMatchObject({
        enabled: false,
      });
      await one.accept(source);
      expect(await two.settled(destination, 3)).toMatchObject({ processed: 2, filtered: 1 });
      await two.must('DELETE', `/api/destinations/${destination.id}`);
      expect((await one.api('GET', `/api/destinations/${destination.id}`)).status).toBe(404);
    });

    test('make no backups, and say what does and in which order', async () => {
      const [one] = shared();
      expect(await one.refused('POST', '/api/backups', {})).toMatchObject({
        code: 'conflict',
        detail: expect.stringMatching(/first the database, then the streams.*Backup and restore of a cluster/),
      });
      expect(await one.must('GET', '/api/backups')).toMatchObject({ directory: null, items: [] });
    });

    test('work on a replay that either was asked for, and stop it when either is told', async () => {
      const [one, two] = shared();
      for (const [asked, told] of [
        [one, two],
        [two, one],
      ] as const) {
        const receiver = await receive(400);
        const source = await asked.source();
        const destination = await asked.destination(source, receiver.url());
        const batch = Array.from({ length: 60 }, () => ({ type: 'track', event: 'E', userId: 'u' }));
        expect((await asked.send(source, 'batch', { batch })).status).toBe(200);
        await asked.settled(destination, 60);
        receiver.become(() => 200);
        const wish = { destinationId: destination.id, state: 'failed', perSecond: 10 };
        const { id } = await asked.must<Replay>('POST', '/api/replays', wish);
        await receiver.waitFor(65);
        expect(await told.must<Replay>('POST', `/api/replays/${id}/stop`)).toMatchObject({ status: 'stopped' });
        const counts = await told.settled(destination, 60);
        expect(counts.failed).toBeGreaterThan(0);
        expect(await asked.must<Replay>('GET', `/api/replays/${id}`)).toMatchObject({ status: 'stopped', total: 60 });
      }
    });
  });

  test('answer as one: what either has just answered, the other knows', async () => {
    // Nodes of its own: one that stands still may hold what others work on.
    const [one, two] = await startTwo(servers, {});
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await two.destination(source, receiver.url());
    for (const [asked, other] of [
      [one, two],
      [two, one],
    ] as const) {
      for (const path of [`/api/sources/${source.id}`, `/api/destinations/${destination.id}`]) {
        const name = `From ${asked.url}`;
        other.signal('SIGSTOP');
        await asked.must('PATCH', path, { name });
        // The question and the news of the change are both there when it goes on.
        const answer = other.api('GET', path);
        await asked.api('GET', path);
        other.signal('SIGCONT');
        expect(JSON.parse((await answer).text)).toMatchObject({ name });
      }
      other.signal('SIGSTOP');
      const made = await asked.source();
      const settings = other.api('GET', `/v1/projects/${made.writeKey}/settings`);
      const call = other.send(made, 'track', { event: 'E', userId: 'u' });
      await asked.api('GET', `/api/sources/${made.id}`);
      other.signal('SIGCONT');
      expect([(await settings).status, (await call).status]).toEqual([200, 200]);
    }
  });

  test('take the admin token that the first of them made', async () => {
    const [one, two] = await startTwo(servers, { MILLRACE_ADMIN_TOKEN: null });
    // What a process has written may arrive after it answers.
    const [token, another] = await eventually(
      () => [one, two].flatMap(({ stdout }) => /^ {2}([\w-]{32})$/m.exec(stdout)?.[1] ?? []),
      (printed) => printed.length > 0,
    );
    expect(another).toBeUndefined();
    for (const { url } of [one, two]) {
      expect(await ask(`${url}/api/sources`, { headers: { Authorization: `Bearer ${token}` } })).toMatchObject({
        status: 200,
      });
    }
  });

  test('tell of an incident once, and one goes on with it when the other is gone', { timeout: 120_000 }, async () => {
    const [one, two] = await startTwo(servers, { MILLRACE_RETRY_WINDOW: '4h', MILLRACE_NODE_TIMEOUT: '5s' });
    const receiver = await receive(({ path }) => (path === '/crm' ? 503 : 200));
    const source = await one.source();
    await one.destination(source, receiver.url('/crm'));
    for (let i = 0; i < 3; i++) await one.accept(source);
    await two.must('PATCH', '/api/alerts', {
      rules: { waiting: { above: 2 }, success_share: { enabled: false } },
      endsAfter: '10s',
      addresses: [{ kind: 'slack', url: receiver.url('/told') }],
    });
    await receiver.until(() => receiver.on('/told').length > 0, 'the notice', 60_000);
    const open = await one.must<Page<Incident>>('GET', '/api/incidents?state=open');
    expect(await two.must('GET', '/api/incidents?state=open')).toEqual(open);
    await one.kill();
    receiver.become(() => 200);
    await receiver.until(() => receiver.on('/told').length > 1, 'the end', 60_000);
    expect(receiver.on('/told').map(({ message }) => String(message['text']).split(':', 2)[1])).toEqual([
      ' Failing',
      ' Ended',
    ]);
    const { items } = await two.must<Page<Incident>>('GET', '/api/incidents');
    expect(items.map(({ id, state }) => [id, state])).toEqual([[open.items[0]?.id, 'ended']]);
  });

  test('have each as many requests at once as one at its best, and are no harder on an endpoint that is down or comes back', {
    timeout: 120_000,
  }, async () => {
    const MOST = 8;
    const [one, two] = await startTwo(servers, {
      MILLRACE_MAX_CONCURRENCY: String(MOST),
      MILLRACE_RETRY_BASE: '4s',
      MILLRACE_RETRY_CAP: '10m',
      MILLRACE_RETRY_WINDOW: '4h',
      MILLRACE_LOG_LEVEL: 'error',
    });
    const endpoint = new Endpoint();
    await endpoint.open();
    const source = await one.source();
    const destination = await one.destination(source, endpoint.receiver.url());
    const send = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i += 10) {
        const batch = Array.from({ length: 10 }, () => ({ type: 'track', event: 'E', userId: 'u' }));
        expect((await one.send(source, 'batch', { batch })).status).toBe(200);
      }
    };
    const breakers = async (): Promise<string[]> =>
      Promise.all([one, two].map(async (node) => (await node.status(destination)).breaker));
    await send(400);
    await one.settled(destination, 400);
    expect(endpoint.most).toBeGreaterThan(MOST);
    expect(endpoint.most).toBeLessThanOrEqual(2 * MOST);

    endpoint.down();
    await send(200);
    await eventually(breakers, (states) => states.every((state) => state !== 'closed'), 60_000);
    const { arrived } = endpoint.receiver;
    await send(200);
    await endpoint.receiver.waitFor(arrived + 2);

    endpoint.up();
    await eventually(breakers, (states) => states.every((state) => state === 'closed'), 90_000);
    expect(await one.settled(destination, 800, 60_000)).toMatchObject({ processed: 800 });
    // As after a probe of one node: one more at once for each success there was, and the other's own probe.
    expect(endpoint.tooMany).toBe(0);
  });

  test('what NATS has dropped before its turn came fails, and is seen to: in counts, metrics and statistics', async () => {
    const ground = await servers.ground();
    const node = new Service({ ...ground, MILLRACE_MAX_CONCURRENCY: '1' }, { mayLogErrors: true });
    onTestFinished(() => node.close());
    await node.start();
    const receiver = await receive('hang');
    const source = await node.source();
    const destination = await node.destination(source, receiver.url());
    for (let i = 0; i < 5; i++) await node.accept(source);
    await receiver.waitFor(1);
    expect(addUp(await node.counts(destination))).toMatchObject({ accepted: 5 });
    await node.kill();
    const link = await Link.open({ url: ground['MILLRACE_NATS_URL'] ?? '', name: 'purge', report: () => undefined });
    await link.jsm.streams.purge('millrace-events-0');
    await link.close();
    await node.start();
    expect(await node.settled(destination, 5)).toMatchObject({ failed: 5 });
    const { text } = await ask(`${node.url}/metrics`);
    const labels = `{destination="${destination.id}",state="failed"}`;
    expect(metricOf(text, `millrace_deliveries_total${labels}`)).toBe(5);
    for (const subject of [`destinationId=${destination.id}`, `sourceId=${source.id}`]) {
      await eventually(
        () => node.must<Stats>('GET', `/api/stats?${subject}`),
        ({ total }) => total.failed === 5,
      );
    }
  });
});

/** The value of a metric in Prometheus's text. */
function metricOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

async function startTwo(servers: ClusterServers, settings: Record<string, string | null>): Promise<[Service, Service]> {
  const [one, two] = await startNodes(servers, 2, settings);
  if (!one || !two) throw new Error('Two nodes were not started.');
  return [one, two];
}

/** Takes 40 ms for an answer, and knows how many requests it has at once. */
class Endpoint {
  receiver!: Receiver;
  /** Most at once. */
  most = 0;
  /** Times that there were more at once, since it is up again, than a careful sender would have. */
  tooMany = 0;
  #underWay = 0;
  #isDown = false;
  /** Since it is up again; null when it never was down. */
  #successes: number | null = null;

  async open(): Promise<void> {
    this.receiver = await receive(() => this.#answer());
  }

  down(): void {
    this.#isDown = true;
  }

  up(): void {
    this.#isDown = false;
    this.#successes = 0;
  }

  async #answer(): Promise<number> {
    if (this.#isDown) return 503;
    this.#underWay++;
    this.most = Math.max(this.most, this.#underWay);
    if (this.#successes !== null && this.#underWay > 2 + this.#successes) this.tooMany++;
    await new Promise((resolve) => setTimeout(resolve, 40));
    this.#underWay--;
    if (this.#successes !== null) this.#successes++;
    return 200;
  }
}
