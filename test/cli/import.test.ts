import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { smallDiskFor } from '../small-disk.ts';
import { begin, folder, millrace, serviceForFile } from './command.ts';
import { Inbox, serve } from './inbox.ts';

const service = await serviceForFile();

type Call = Readonly<Record<string, unknown>>;

const track = (number: number, more: Call = {}): Call => ({
  type: 'track',
  userId: `u${number}`,
  event: 'Order Completed',
  timestamp: '2020-02-03T04:05:06.000Z',
  ...more,
});

function history(
  calls: readonly (Call | string)[],
  packed = false,
  path = join(folder(), packed ? 'history.ndjson.gz' : 'history.ndjson'),
): string {
  const text = calls.map((call) => `${typeof call === 'string' ? call : JSON.stringify(call)}\n`).join('');
  writeFileSync(path, packed ? gzipSync(text) : text);
  return path;
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);

/** What a scripted collection API took. */
interface Taken {
  readonly url: string;
  readonly requests: readonly Call[][];
}

async function scripted(
  refuse: (request: number) => { status: number; retryAfter?: string } | 'hang' | null,
): Promise<Taken> {
  const requests: Call[][] = [];
  let count = 0;
  const url = await serve((body, response) => {
    count += 1;
    const refusal = refuse(count);
    if (refusal !== null && refusal !== 'hang') {
      const headers = refusal.retryAfter === undefined ? {} : { 'retry-after': refusal.retryAfter };
      response.writeHead(refusal.status, headers).end('{"success":false,"code":"storage_full","message":"full"}');
      return;
    }
    requests.push((JSON.parse(body) as { batch: Call[] }).batch);
    // Taken, and the answer is lost.
    if (refusal === 'hang') return;
    response.end('{"success":true}');
  });
  return { url, requests };
}

test('says how many calls had no timestamp that can be read', async () => {
  const { url } = await scripted(() => null);
  const path = history([
    track(1),
    track(2, { timestamp: undefined }),
    track(3, { timestamp: '11/20/2025 10:00' }),
    track(4, { timestamp: undefined, originalTimestamp: '2020-02-03' }),
  ]);
  const { code, stderr } = await millrace(['import', path, '--url', url, '--write-key', 'k']);
  expect([code, stderr]).toEqual([0, '2 calls had no timestamp that can be read, and got the time of the import.\n']);
});

test('keeps timestamps, reports what is refused with its line, and says so with exit code 1', async () => {
  const inbox = await new Inbox().open();
  const source = await service.client.call('POST /api/sources', { name: 'Old shop', type: 'server' });
  await service.client.call('POST /api/destinations', {
    name: 'Archive',
    type: 'Webhooks',
    sourceIds: [source.id],
    settings: { webhooks: [{ url: inbox.url }] },
  });
  const path = history([
    track(1, { messageId: 'mine', sentAt: '2020-02-03T04:05:16.000Z' }),
    'not JSON',
    '',
    track(2, { originalTimestamp: '2020-02-03T04:00:00.000Z' }),
    { type: 'track', userId: 'x' },
    track(3, { properties: { long: 'x'.repeat(33_000) } }),
    '[1]',
    // As large as a call may be.
    track(9, { properties: { long: 'x'.repeat(32_500) } }),
  ]);
  appendFileSync(path, Buffer.from('{"type":"track","userId":"café"}\n', 'latin1'));
  const { code, stdout, stderr } = await millrace(['import', path, '--source', 'Old shop'], { env: service.env });
  expect(stdout).toContain('3 calls accepted, 5 refused\n');
  expect(stderr).toContain(`What was refused, and why: ${path}.rejected.ndjson`);
  expect(code).toBe(1);
  const rejected = readFileSync(`${path}.rejected.ndjson`, 'utf8').trimEnd().split('\n');
  expect(rejected.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { line: 2, code: 'invalid_json', call: 'not JSON' },
    { line: 5, code: 'event_required', call: { type: 'track', userId: 'x' } },
    { line: 6, code: 'call_too_large' },
    { line: 7, code: 'call_not_object', call: [1] },
    { line: 9, code: 'invalid_json', call: { userId: 'café' } },
  ]);
  const arrived = await inbox.count(3);
  expect(arrived.slice(0, 2).map(({ timestamp }) => timestamp)).toEqual([
    '2020-02-03T04:05:06.000Z',
    '2020-02-03T04:05:06.000Z',
  ]);
  expect(new Set(arrived.map(({ messageId }) => messageId))).toContain('mine');

  appendFileSync(path, `${JSON.stringify(track(4))}\n`);
  const again = await millrace(['import', path, '--source', 'Old shop'], { env: service.env });
  expect(again.stdout).toBe('1 call accepted (4 in all), 5 refused\n');
  expect((await inbox.count(4))[3]).toMatchObject({ userId: 'u4' });
});

test('killed in the middle it goes on where it was, and repeats what it repeats under the same messageId', async () => {
  let hanging = (): void => {};
  const hangs = new Promise<void>((resolve) => {
    hanging = resolve;
  });
  const taken = await scripted((request) => {
    if (request !== 4) return null;
    hanging();
    return 'hang';
  });
  const path = history(numbers(20_000).map((number) => track(number)));
  const args = ['import', path, '--url', taken.url, '--write-key', 'k', '--in-flight', '1'];
  const first = begin(args);
  await hangs;
  await first.signal('SIGKILL');
  const second = await millrace(args);
  expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('(20000 in all), 0 refused') });
  expect(second.stderr).toMatch(/^Going on after line \d+\n/);

  const calls = taken.requests.flat();
  const idsOf = new Map<unknown, Set<unknown>>();
  for (const { userId, messageId } of calls) idsOf.set(userId, (idsOf.get(userId) ?? new Set()).add(messageId));
  expect(idsOf.size).toBe(20_000);
  expect([...idsOf.values()].every((ids) => ids.size === 1)).toBe(true);
  expect(new Set(calls.map(({ messageId }) => messageId)).size).toBe(20_000);
  expect(calls.length).toBeGreaterThan(20_000);
  for (const request of taken.requests) {
    expect(request.length).toBeLessThanOrEqual(2_500);
    expect(JSON.stringify({ batch: request }).length).toBeLessThanOrEqual(500_000);
  }
});

test('interrupted by Ctrl-C it ends what is under way, says so, and goes on later', async () => {
  let seen = (): void => {};
  const sees = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const taken = await scripted((request) => {
    if (request > 1 && !done) {
      seen();
      return { status: 503, retryAfter: '30' };
    }
    return null;
  });
  let done = false;
  const path = history(numbers(8_000).map((number) => track(number)));
  const args = ['import', path, '--url', taken.url, '--write-key', 'k', '--in-flight', '1'];
  const first = begin(args);
  await sees;
  const { code, stderr } = await first.signal('SIGINT');
  expect(stderr).toContain('the same command goes on from there');
  expect(code).toBe(1);
  done = true;
  expect((await millrace(args)).code).toBe(0);
  expect(new Set(taken.requests.flat().map(({ userId }) => userId)).size).toBe(8_000);
  expect(taken.requests.flat()).toHaveLength(8_000);
});

test('waits out 429 and 503 for as long as Retry-After says, and lost connections', async () => {
  const at: number[] = [];
  const taken = await scripted((request) => {
    at.push(Date.now());
    return (
      [
        { status: 429, retryAfter: '1' },
        // A date has whole seconds.
        { status: 503, retryAfter: new Date(Date.now() + 2_000).toUTCString() },
      ][request - 1] ?? null
    );
  });
  const path = history([track(1)]);
  expect((await millrace(['import', path, '--url', taken.url, '--write-key', 'k'])).code).toBe(0);
  const [first = 0, second = 0, third = 0] = at;
  expect(at).toHaveLength(3);
  expect(second - first).toBeGreaterThanOrEqual(990);
  expect(third - second).toBeGreaterThanOrEqual(990);
});

test('gives up when nothing is taken for longer than the grace period, and says where it stopped', async () => {
  const taken = await scripted(() => ({ status: 503, retryAfter: '12000' }));
  const path = history([track(1)]);
  const { code, stderr } = await millrace(['import', path, '--url', taken.url, '--write-key', 'k', '--patience', '1s']);
  expect(stderr).toContain('stopped before line 1: the service answered 503 storage_full: full');
  expect(stderr).toContain('It asks to wait 3 h 20 min, longer than --patience allows.');
  expect(code).toBe(1);
});

test('reads what is packed with gzip, and resumes in it', async () => {
  const taken = await scripted((request) => (request === 2 ? { status: 400 } : null));
  const path = history(
    numbers(6_000).map((number) => track(number)),
    true,
  );
  const args = ['import', path, '--url', taken.url, '--write-key', 'k', '--in-flight', '1'];
  expect((await millrace(args)).code).toBe(1);
  expect((await millrace(args)).code).toBe(0);
  expect(taken.requests.flat().map(({ userId }) => userId)).toEqual(numbers(6_000).map((number) => `u${number}`));
});

test('--restart begins at the beginning, and the command without it goes on from where that came to', async () => {
  const taken = await scripted((request) => (request === 2 ? { status: 400 } : null));
  const path = history([track(1), { type: 'track' }]);
  const args = ['import', path, '--url', taken.url, '--write-key', 'k', '--in-flight', '1'];
  expect((await millrace(args)).code).toBe(0);
  const stopped = await millrace([...args, '--restart']);
  expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('the same command without --restart')]);
  expect((await millrace(args)).stdout).toBe('2 calls accepted, 0 refused\n');
});

test('another file, or another source, is not what was begun: exit code 2, unless --restart', async () => {
  const taken = await scripted(() => null);
  const path = history([track(1)]);
  const args = ['import', path, '--url', taken.url, '--write-key'];
  expect((await millrace([...args, 'k'])).code).toBe(0);
  const elsewhere = await millrace([...args, 'other']);
  expect(elsewhere.stderr).toContain('was begun with another address or write key');
  expect(elsewhere.code).toBe(2);
  writeFileSync(path, `${JSON.stringify(track(2))}\n`);
  const changed = await millrace([...args, 'k']);
  expect(changed.stderr).toContain('is not the file whose import was begun');
  expect(changed.code).toBe(2);
  expect((await millrace([...args, 'k', '--restart'])).stdout).toBe('1 call accepted, 0 refused\n');
  // With the same first line, and as long.
  const [first, second] = [track(2), track(3)].map((call) => `${JSON.stringify(call)}\n`);
  writeFileSync(path, `${first}${second}`);
  expect((await millrace([...args, 'k'])).stdout).toContain('1 call accepted (2 in all)');
  writeFileSync(path, `${first}${JSON.stringify(track(4))}\n`);
  expect(await millrace([...args, 'k'])).toMatchObject({ code: 2, stderr: changed.stderr });
});

test('a packed file with the same first line and other calls after it is another file, and nothing of it is taken', async () => {
  const taken = await scripted(() => null);
  const path = history([track(1), track(2)], true);
  const args = ['import', path, '--url', taken.url, '--write-key', 'k'];
  expect((await millrace(args)).code).toBe(0);
  history([track(1), track(3), track(4)], true, path);
  const { code, stderr } = await millrace(args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^millrace: \S+ is not the file whose import was begun/)]);
  expect(taken.requests.flat()).toHaveLength(2);
  history([track(1), track(2), track(5)], true, path);
  expect((await millrace(args)).stdout).toContain('1 call accepted (3 in all)');
});

test('after the write key or the address of the source changed, --same-source goes on', async () => {
  const taken = await scripted((request) => (request === 2 ? { status: 400 } : null));
  const path = history(numbers(4_000).map((number) => track(number)));
  const args = (key: string): string[] => ['import', path, '--url', taken.url, '--write-key', key, '--in-flight', '1'];
  expect((await millrace(args('old'))).code).toBe(1);
  expect(await millrace(args('new'))).toMatchObject({ code: 2, stderr: expect.stringContaining('--same-source') });
  expect((await millrace([...args('new'), '--same-source'])).stdout).toContain('(4000 in all)');
  expect(taken.requests.flat()).toHaveLength(4_000);
  expect((await millrace(args('new'))).code).toBe(0);
});

test('a second import of the same file is refused, and a killed one leaves the file free', async () => {
  const hangs = Promise.withResolvers<void>();
  const taken = await scripted((request) => {
    if (request > 1) return null;
    hangs.resolve();
    return 'hang';
  });
  const path = history([track(1), 'not JSON']);
  const args = ['import', path, '--url', taken.url, '--write-key', 'k'];
  const first = begin(args);
  await hangs.promise;
  for (const more of [[], ['--restart']]) {
    const { code, stderr } = await millrace([...args, ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`another import of ${path} is under way`)]);
  }
  await first.signal('SIGKILL');
  expect((await millrace(args)).stdout).toBe('1 call accepted, 1 refused\n');
  expect(readFileSync(`${path}.rejected.ndjson`, 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('where how far it is can’t be written nothing is sent: exit code 2', async (context) => {
  const taken = await scripted(() => null);
  const disk = smallDiskFor(context, 1);
  const path = history([track(1)], false, join(disk.folder, 'history.ndjson'));
  spawnSync('mount', ['-o', 'remount,ro', disk.folder]);
  const { code, stderr } = await millrace(['import', path, '--url', taken.url, '--write-key', 'k']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("how far the import is can't be written: EROFS")]);
  expect(taken.requests).toEqual([]);
});

test('what can’t be imported at all: exit codes 2 and 1', async () => {
  const missing = await millrace(['import', join(folder(), 'none.ndjson'), '--write-key', 'k']);
  expect(missing.stderr).toContain('cannot read');
  const array = join(folder(), 'calls.json');
  writeFileSync(array, '\n [{"type": "track"}]');
  const list = await millrace(['import', array], { env: service.env });
  expect([list.code, list.stderr]).toEqual([
    2,
    expect.stringContaining('an import takes NDJSON, one call on each line'),
  ]);
  expect(missing.code).toBe(2);
  const path = history([track(1)]);
  const refused = await millrace(['import', path, '--write-key', 'nobody'], { env: service.env });
  expect(refused.stderr).toContain('stopped before line 1: the service answered 401 unknown_write_key');
  expect(refused.code).toBe(1);
  expect(existsSync(`${path}.millrace-import`)).toBe(false);
  const torn = history(['']);
  writeFileSync(torn, gzipSync(Buffer.from(`${JSON.stringify(track(1))}\n`.repeat(1_000))).subarray(0, 60));
  const { code, stderr } = await millrace(['import', torn, '--write-key', 'k', '--url', service.url]);
  expect(stderr).toContain('unexpected end of file');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(1);
});
