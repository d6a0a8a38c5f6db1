import { afterAll, describe, expect, test } from 'vitest';
import type {
  AppliedSettings,
  EventSummary,
  Page,
  ProcessSetting,
  SentAgain,
  SettingsFile,
  SettingsPlan,
  SignatureVerdict,
  Source,
  UrlCheck,
} from '../../packages/server/src/admin/contract.ts';
import { need } from '../needs.ts';
import { Certificates } from './kit/certificates.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { receive } from './kit/receiver.ts';
import { sharedService, startService } from './kit/service.ts';

const openssl = await need('openssl');
const folder = temporaryFolder();
afterAll(() => removeFolder(folder));
const certificates = openssl ? new Certificates(folder) : null;

/** For tests that do not read all that it has. */
const shared = sharedService(certificates ? { NODE_EXTRA_CA_CERTS: certificates.authority.file } : {});

const failing = ({ steps }: UrlCheck): [string, string] => {
  const last = steps.at(-1);
  return [last?.ok === false ? last.name : '', last?.message ?? ''];
};

describe('a URL that is not saved yet', () => {
  test('gets one real signed message, once, and nothing is counted', async () => {
    const receiver = await receive(503);
    const check = { url: receiver.url('/hook'), headers: { 'X-Team': 'growth' }, sharedSecret: 'a long enough secret' };
    shared.secrets.add(check.sharedSecret);
    const answer: UrlCheck = await shared.must('POST', '/api/url-checks', check);
    expect(failing(answer)).toEqual(['message', expect.stringContaining('Answered 503.')]);
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.headers).toMatchObject({ 'x-team': 'growth', 'user-agent': 'Millrace/1.0' });
    expect(answer.result).toMatchObject({ status: 503, class: 'temporary' });
    const verdict: SignatureVerdict = await shared.must('POST', '/api/signature-checks', {
      secret: check.sharedSecret,
      body: arrival?.text,
      signature: arrival?.headers['x-signature'],
    });
    expect(verdict).toMatchObject({ equal: true, hint: null });
    expect(receiver.arrivals).toHaveLength(1);
  });

  test('says what stands in the way: no answer in time, no server there, a private address', async () => {
    const service = await startService({ MILLRACE_DELIVERY_TIMEOUT: '200ms' });
    const receiver = await receive('hang');
    const silent: UrlCheck = await service.must('POST', '/api/url-checks', { url: receiver.url() });
    expect(failing(silent)).toEqual(['message', expect.stringContaining('No answer.')]);
    const before = receiver.connections;
    const guarded = await startService({ MILLRACE_ALLOW_PRIVATE_URLS: null });
    const refused: UrlCheck = await guarded.must('POST', '/api/url-checks', { url: receiver.url() });
    expect(failing(refused)).toEqual(['address', expect.stringContaining('not a public address')]);
    expect(receiver.connections).toBe(before);
  });

  test.skipIf(!openssl)('says what is wrong with its certificate', async () => {
    if (!certificates) throw new Error('there is no openssl');
    for (const [certificate, message] of [
      [certificates.selfSigned('self'), 'is self-signed'],
      [certificates.signed('expired', 'DNS:localhost', -1), 'expired on'],
      [certificates.signed('other', 'DNS:example.com'), 'is for example.com, not for localhost'],
    ] as const) {
      const receiver = await receive(200, { tls: certificate });
      const url = receiver.url('/hook', 'localhost');
      expect(failing(await shared.must('POST', '/api/url-checks', { url }))).toEqual([
        'tls',
        expect.stringContaining(message),
      ]);
      expect(receiver.bytesInside).toBe(0);
    }
    const receiver = await receive(200, { tls: certificates.signed('good', 'DNS:localhost') });
    const good: UrlCheck = await shared.must('POST', '/api/url-checks', { url: receiver.url('/hook', 'localhost') });
    expect(good).toMatchObject({ ok: true, result: { status: 200 } });
    expect(good.steps.find(({ name }) => name === 'tls')?.message).toContain('from authority');
  });
});

test('an old write key is taken beside the new one, over a restart, until it is ended', async () => {
  const source = await shared.source();
  const path = `/api/sources/${source.id}`;
  const rotated: Source = await shared.must('POST', `${path}/rotate-key`, { overlapHours: 1 });
  shared.secrets.add(rotated.writeKey);
  await shared.accept(source);
  await shared.accept(rotated);
  await shared.stop();
  await shared.start();
  await shared.accept(source);
  for (const asked of [`/v1/projects/${source.writeKey}/settings`, `/sourceConfig?writeKey=${source.writeKey}`]) {
    const told = await (await fetch(shared.url + asked)).text();
    expect([told.includes(source.writeKey), told.includes(rotated.writeKey)]).toEqual([true, false]);
  }
  expect(await shared.must('GET', path)).toEqual(rotated);
  expect((await shared.api('DELETE', `${path}/old-key`)).status).toBe(204);
  const late = await shared.send(source, 'track', { event: 'E', userId: 'u' });
  expect(JSON.parse(late.text)).toMatchObject({ code: 'unknown_write_key' });
  await shared.accept(rotated);
});

test('events are found whether or not a destination takes them, and one is sent again', async () => {
  const receiver = await receive();
  const source = await shared.source();
  const unheard = await shared.accept(source, { event: 'Unheard', userId: 'somebody' });
  const found = async (query: string): Promise<string[]> =>
    (await shared.must<Page<EventSummary>>('GET', `/api/events?${query}`)).items.map(({ messageId }) => messageId);
  expect(await found('userId=somebody')).toEqual([unheard]);

  const destination = await shared.destination(source, receiver.url(), {
    trackFilter: { mode: 'deny', events: ['Quiet'] },
  });
  const quiet = await shared.accept(source, { event: 'Quiet' });
  await shared.tracedAs(quiet, 'filtered');
  expect(await found(`messageId=${quiet}`)).toEqual([quiet]);
  const again = (messageId: string): Promise<SentAgain> =>
    shared.must('POST', `/api/messages/${messageId}/send-again`, { destinationId: destination.id });
  await shared.must('PATCH', `/api/destinations/${destination.id}`, { trackFilter: null });
  expect(await again(quiet)).toMatchObject({ replay: { status: 'done', messageId: quiet } });
  await receiver.waitFor(1);
  await shared.tracedAs(quiet, 'processed');
  await again(quiet);
  await again(unheard);
  const arrivals = await receiver.waitFor(3);
  expect(new Set(arrivals.map(({ message }) => message['messageId']))).toEqual(new Set([quiet, unheard]));
  expect(await shared.settled(destination, 2)).toMatchObject({ processed: 2, filtered: 0 });
});

test('the set-up moves to another installation as a file', async () => {
  const service = await startService();
  const source = await service.source({ name: 'Shop' });
  await service.destination(source, 'http://127.0.0.1:9/hook');
  const { yaml }: SettingsFile = await service.must('GET', '/api/settings-file?withWriteKeys=true');
  const other = await startService();
  const plan: SettingsPlan = await other.must('POST', '/api/settings-file/plan', { yaml });
  expect(plan.changes.map(({ action, type }) => `${action} ${type}`)).toEqual(['create source', 'create destination']);
  const applied: AppliedSettings = await other.must('POST', '/api/settings-file/apply', { yaml });
  expect(applied.changes).toEqual(plan.changes);
  await other.accept(source);
  expect(await other.must('POST', '/api/settings-file/apply', { yaml: plan.after })).toEqual({ changes: [] });
  const { items }: Page<ProcessSetting> = await other.must('GET', '/api/process-settings');
  expect(items).toContainEqual(expect.objectContaining({ name: 'MILLRACE_RETRY_WINDOW', value: '2s', default: '4h' }));
});
