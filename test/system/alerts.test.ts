import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type {
  AlertSettings,
  AlertTest,
  Destination,
  Incident,
  Page,
} from '../../packages/server/src/admin/contract.ts';
import { takeMail } from '../mail-server.ts';
import { eventually } from './kit/eventually.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, type Service, type Settings, startService } from './kit/service.ts';

const TIMEOUT_MS = 60_000;

/** Attempts that go on while an endpoint fails. */
const RETRIES: Settings = { MILLRACE_RETRY_BASE: '1s', MILLRACE_RETRY_CAP: '2s', MILLRACE_RETRY_WINDOW: '4h' };

/** Rules that need no minutes; attempts are counted by the minute. */
async function quick(service: Service, { id }: Destination, addresses: readonly object[]): Promise<AlertSettings> {
  const alerts = { no_success: { after: '10s' }, success_share: { enabled: false } };
  await service.must('PATCH', `/api/destinations/${id}`, { alerts });
  return service.must('PATCH', '/api/alerts', { endsAfter: '10s', addresses });
}

function typeOf({ message }: Arrival): unknown {
  return message['type'];
}

async function incidents(service: Service, state: string): Promise<readonly Incident[]> {
  return (await service.must<Page<Incident>>('GET', `/api/incidents?state=${state}`)).items;
}

test('an endpoint that fails is an incident, told to each address, until it has recovered', {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const mail = await takeMail();
  const mailing = { MILLRACE_SMTP_URL: mail.url, MILLRACE_SMTP_FROM: 'Millrace <alerts@example.com>' };
  const service = await startService({ ...RETRIES, ...mailing });
  const receiver = await receive(({ path }) => (path === '/crm' ? 503 : 200));
  const source = await service.source();
  const destination = await service.destination(source, receiver.url('/crm'));
  const saved = await quick(service, destination, [
    { kind: 'webhook', url: receiver.url('/hook') },
    { kind: 'slack', url: receiver.url('/slack/T0/secret') },
    { kind: 'email', to: 'on-call@example.com' },
  ]);
  expect(saved.addresses[1]?.url).toBe(new URL('/••••', receiver.url()).href.replace(/%E2%80%A2/g, '•'));
  const secret = Object.values(saved.standardSecrets ?? {})[0] ?? '';
  service.secrets.add(secret);

  const { items: tested } = await service.must<AlertTest>('POST', '/api/alerts/test');
  expect(tested.map(({ kind, ok }) => [kind, ok])).toEqual([
    ['webhook', true],
    ['slack', true],
    ['email', true],
  ]);
  expect(mail.mails[0]).toContain('Subject: Millrace: this is a test');

  await service.accept(source);
  await service.accept(source);
  const isTold = (type: string) => (): boolean => receiver.on('/hook').some((arrival) => typeOf(arrival) === type);
  await receiver.until(isTold('incident.opened'), 'the notice', TIMEOUT_MS);
  const [open] = await incidents(service, 'open');
  expect(open).toMatchObject({ rule: 'no_success', subject: { id: destination.id, name: 'CRM' }, state: 'open' });
  expect(open?.sample).toMatchObject({ sourceId: source.id, error: 'HTTP 503' });
  expect(open?.numbers).toMatchObject({ waiting: 2, threshold: 10_000 });
  const [, opened] = receiver.on('/hook');
  if (!opened || !open) throw new Error('nothing came');
  expect(new Webhook(secret).verify(opened.body, { ...opened.headers })).toMatchObject({
    type: 'incident.opened',
    incident: { id: open.id, cause: open.cause, since: open.since },
  });
  expect(await service.trace(open.sample?.messageId ?? '', source)).toMatchObject({
    messageId: open.sample?.messageId,
  });

  receiver.become(() => 200);
  await receiver.until(isTold('incident.ended'), 'the end', TIMEOUT_MS);
  const [ended] = await incidents(service, 'ended');
  expect(ended).toMatchObject({ id: open.id, state: 'ended' });
  expect(ended?.recovery).toMatch(/^Recovered: 2 messages drained in \d+ s\.$/);
  expect(await incidents(service, 'open')).toEqual([]);
  const isDone = (): boolean => receiver.on('/slack/T0/secret').length === 3;
  await receiver.until(isDone, 'what Slack is told', TIMEOUT_MS);
  const texts = receiver.on('/slack/T0/secret').map(({ message }) => String(message['text']));
  expect(texts[1]).toContain('Millrace: Failing: CRM: Nothing was ever delivered');
  expect(texts[2]).toContain(String(ended?.recovery));
  const mails = await eventually(
    () => mail.mails,
    ({ length }) => length === 3,
  );
  expect(mails[1]).toContain('To: on-call@example.com');
  expect(mails[1]?.replace(/=\n/g, '')).toContain(`/incidents/${open.id}`);
});

test('a notice that was written comes after kill -9, and a new process goes on with the incident', {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const service = await startService(RETRIES);
  const receiver = await receive(503);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url('/crm'));
  await quick(service, destination, [{ kind: 'webhook', url: receiver.url('/hook') }]);
  await service.accept(source);
  await receiver.until(() => receiver.on('/hook').length > 0, 'the first attempt', TIMEOUT_MS);
  const [before] = await incidents(service, 'open');
  await service.kill();

  receiver.become(({ path }) => (path === '/hook' ? 200 : 503));
  const attempts = receiver.on('/hook').length;
  await service.start();
  await receiver.until(() => receiver.on('/hook').length > attempts, 'the notice', TIMEOUT_MS);
  const [first, ...others] = receiver.on('/hook');
  expect(others.at(-1)?.text).toBe(first?.text);
  expect(others.at(-1)?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(await incidents(service, 'open')).toMatchObject([{ id: before?.id, since: before?.since }]);

  const snoozed = await service.must<Incident>('POST', `/api/incidents/${before?.id}/snooze`, { for: '4h' });
  expect(Date.parse(String(snoozed.snoozedUntil))).toBeGreaterThan(Date.now());
  receiver.become(() => 200);
  const isEnded = (): boolean => receiver.on('/hook').some((arrival) => typeOf(arrival) === 'incident.ended');
  await receiver.until(isEnded, 'the end', TIMEOUT_MS);
});

test('a test whose client has gone away ends, and holds up no stop', async () => {
  const mail = await takeMail('EHLO');
  const service = await startService({ MILLRACE_SMTP_URL: mail.url, MILLRACE_SMTP_FROM: 'alerts@example.com' });
  await service.must('PATCH', '/api/alerts', { addresses: [{ kind: 'email', to: 'on-call@example.com' }] });
  const client = new AbortController();
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const url = `${service.url}/api/alerts/test`;
  const asked = fetch(url, { method: 'POST', headers, signal: client.signal });
  const { closed } = await mail.held;
  client.abort();
  await expect(asked).rejects.toThrow('aborted');
  await closed;
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('what cannot be set is refused, and says why', async () => {
  const service = await startService();
  const refused = async (body: unknown): Promise<string> =>
    (await service.refused('PATCH', '/api/alerts', body)).detail;
  expect(await refused({ addresses: [{ kind: 'email', to: 'a@example.com' }] })).toContain('MILLRACE_SMTP_URL');
  expect(await refused({ addresses: [{ kind: 'webhook' }] })).toBe('addresses.0.url: is required');
  expect(await refused({ rules: { no_success: { after: '1s' } } })).toContain('from 10s to 365d');
  expect(await refused({ rules: { no_success: { above: 1 } } })).toBe('rules.no_success.above: is not a known field');
  expect(await refused({ endsAfter: '1s' })).toContain('endsAfter');
  expect((await service.refused('POST', '/api/incidents/inc_none/snooze', { for: '1h' })).code).toBe('not_found');
});
