import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Call } from './kit/admin.ts';
import { CAPTURES, callsOf, exchange, wire } from './kit/captures.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

/** RudderStack's libraries write the traits of an identify call into its context. */
function traitsOf({ type, traits, context }: Call): unknown {
  return traits ?? (type === 'identify' ? (context as Call)['traits'] : undefined);
}

const service = sharedService();

describe('stack, "What real SDKs send": recorded requests, byte for byte', () => {
  test.each(CAPTURES)('$file', async ({ requests }) => {
    const receiver = await receive();
    const source = await service.source({ type: 'web' });
    const sharedSecret = 'signed';
    await service.destination(source, [], { settings: { webhooks: [{ url: receiver.url() }], sharedSecret } });
    const ours = requests.filter(({ url }) => url !== '/custom/path');
    const answers = await exchange(
      service.url,
      ours.map((request) => wire(request, source.writeKey)),
    );
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(
      ours.map(({ method }) => (method === 'OPTIONS' ? '204' : '200')),
    );
    for (const [i, { method, headers }] of ours.entries()) {
      const answer = answers[i] ?? '';
      if (method === 'POST') expect(answer).toMatch(/\r\n\r\n\{"success":true\}$/);
      if (headers['origin'] !== undefined)
        expect(answer).toMatch(/access-control-allow-origin: (\*|http:\/\/127\.0\.0\.1:42881)\r\n/i);
      const asked = headers['access-control-request-headers']?.split(/, */) ?? [];
      const allowed = /access-control-allow-headers: (.*)\r\n/i.exec(answer)?.[1]?.toLowerCase().split(/, */) ?? [];
      for (const name of asked) expect(allowed).toContain(name.toLowerCase());
    }

    // The same message may be in several recorded requests: it is delivered once.
    const calls = new Map(
      ours
        .filter(({ method }) => method === 'POST')
        .flatMap(callsOf)
        .map((call) => [call['messageId'], call]),
    );
    const arrivals = await receiver.waitFor(calls.size);
    const came = new Map<unknown, Arrival>(arrivals.map((arrival) => [arrival.message['messageId'], arrival]));
    for (const [messageId, call] of calls) {
      const arrival = came.get(messageId);
      const identity =
        call['type'] === 'alias'
          ? { 'Previous ID': call['previousId'], 'User ID': call['userId'] }
          : { userId: call['userId'] ?? null };
      const given = { ...call, traits: traitsOf(call) } as Call;
      const own = ['event', 'groupId', 'traits', 'properties', 'name', 'category', 'anonymousId'].filter(
        (key) => given[key] != null,
      );
      const taken = call['type'] === 'alias' ? own.filter((key) => key === 'anonymousId') : own;
      const relevant = taken.filter((key) => key !== 'traits' || ['identify', 'group'].includes(String(call['type'])));
      expect(arrival?.message).toMatchObject({
        version: 1,
        type: call['type'],
        ...identity,
        ...Object.fromEntries(relevant.map((key) => [key, given[key]])),
        messageId,
        context: call['context'] ?? {},
        timestamp: new Date(String(call['timestamp'] ?? call['originalTimestamp'])).toISOString(),
      });
      expect(arrival?.text).toBe(JSON.stringify(JSON.parse(arrival?.text ?? '')));
    }
  });
});

test('each library has a call of 2015 among them', () => {
  const isPast = (call: Call): boolean =>
    /^2015-02-02T00:30:08(\.276)?/.test(String(call['timestamp'] ?? call['originalTimestamp']));
  const past = CAPTURES.filter(({ requests }) =>
    requests.some((request) => request.method === 'POST' && callsOf(request).some(isPast)),
  );
  expect(new Set(past.map((capture) => capture.package))).toEqual(new Set(CAPTURES.map((capture) => capture.package)));
});

test('docs/sdks.md lists each library at the version that was captured', () => {
  const page = readFileSync(new URL('../../docs/sdks.md', import.meta.url), 'utf8');
  for (const { package: library, version } of CAPTURES) expect(page).toContain(`| \`${library}\` | ${version} |`);
});
