import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { takeMail } from '../../../../test/mail-server.ts';
import { noticeOf } from './announce.ts';
import { incident } from './conformance.ts';
import type { Address } from './contract.ts';
import { createMail, createSendNotice, type SendNotice } from './sending.ts';

const TO: Address = { id: 'adr_1', kind: 'email', to: 'on-call@example.com' };
const NOTICE = noticeOf('opened', [], TO.id, 1);

function mailing(url: string, timer = new HandClock(), from = 'Millrace <alerts@example.com>'): SendNotice {
  const mail = createMail(url, from);
  return createSendNotice({ mail, timer, post: () => Promise.reject(new Error('mail is no request')) });
}

test.each(['EHLO', 'MAIL', '.'])(
  'an answer to %s that never ends has a minute, and leaves no connection',
  async (at) => {
    const server = await takeMail(at);
    const clock = new HandClock();
    const sent = mailing(server.url, clock)(TO, NOTICE, new AbortController().signal);
    const { closed } = await server.held;
    clock.advance(60_000);
    expect(await sent).toEqual({ outcome: 'failed', detail: 'no answer within 60 s', retryAfter: null });
    await closed;
    expect(clock.pending).toBe(0);
  },
);

test('an attempt that is given up leaves no connection', async () => {
  const server = await takeMail('.');
  const stop = new AbortController();
  const sent = mailing(server.url)(TO, NOTICE, stop.signal);
  const { closed } = await server.held;
  stop.abort();
  expect(await sent).toMatchObject({ outcome: 'failed' });
  await closed;
});

test('what is sent leaves no connection either', async () => {
  const server = await takeMail();
  const clock = new HandClock();
  const sent = await mailing(server.url, clock)(TO, NOTICE, new AbortController().signal);
  expect([sent.outcome, server.mails.length, clock.pending]).toEqual(['sent', 1, 0]);
});

test.each([
  ['greeting', 554, 'failed'],
  ['AUTH', 535, 'failed'],
  ['AUTH', 454, 'failed'],
  ['MAIL', 550, 'refused'],
  ['RCPT', 452, 'failed'],
  ['RCPT', 550, 'refused'],
  ['DATA', 554, 'refused'],
] as const)('the answer to %s is %i, in many words: the mail is %s, in few', async (command, status, outcome) => {
  const server = await takeMail(null, ['AUTH PLAIN'], [command, `${status} no${'!'.repeat(5_000)}`]);
  const url = server.url.replace('//', '//user:secret@');
  const sent = await mailing(url)(TO, NOTICE, new AbortController().signal);
  expect(sent).toMatchObject({ outcome, detail: expect.stringMatching(`^.*${status} no!{900,1000}…$`) });
});

// 0.0.0.0 is this machine too, by a name that is not loopback's.
test.each([
  ['0.0.0.0', '', 'failed'],
  ['0.0.0.0', '?requireTLS=false', 'sent'],
  ['127.0.0.1', '', 'sent'],
])('a server at %s%s without TLS: mail with a password is %s', async (host, query, outcome) => {
  const server = await takeMail(null, ['AUTH PLAIN']);
  const url = `${server.url.replace('//127.0.0.1', `//user:secret@${host}`)}${query}`;
  const sent = await mailing(url)(TO, NOTICE, new AbortController().signal);
  expect(sent.outcome).toBe(outcome);
  expect(server.commands.some((line) => line.startsWith('AUTH'))).toBe(outcome === 'sent');
});

test.each([
  ['Millrace, main <a@b.example>', '"Millrace, main" <a@b.example>', 'a@b.example'],
  ['"Millrace" <a@b.example>', 'Millrace <a@b.example>', 'a@b.example'],
  ['a,b@c.example', '<"a,b"@c.example>', '"a,b"@c.example'],
])(
  'the sender %s and the receiver are one address each, and a retry has the same id',
  async (from, written, sender) => {
    const server = await takeMail();
    const send = mailing(server.url, new HandClock(), from);
    for (const _ of [1, 2]) await send({ ...TO, to: 'x:y@example.com' }, NOTICE, new AbortController().signal);
    expect(server.commands.filter((line) => /^(MAIL|RCPT)/.test(line)).slice(2)).toEqual([
      `MAIL FROM:<${sender}>`,
      'RCPT TO:<"x:y"@example.com>',
    ]);
    expect(server.mails[0]).toContain(`From: ${written}\n`);
    const ids = server.mails.map((mail) => /^Message-ID: (.*)$/m.exec(mail)?.[1]);
    expect(ids).toEqual(Array(2).fill(`<test.opened.1.adr_1@${sender.split('@')[1]}>`));
  },
);

test('a messageId of a stranger mentions nobody in a chat, and hides no address behind words', async () => {
  const sample = {
    messageId: '<!channel> @Channel @all @ada a@example.com [x](https://y.example)',
    sourceId: 's',
    error: null,
  };
  const bodies: string[] = [];
  const send = createSendNotice({
    ...{ mail: null, timer: new HandClock() },
    async post(_, { body }) {
      bodies.push(body);
      return { class: 'success', status: 200, error: null, detail: null, retryAfter: null, answer: null };
    },
  });
  const to: Address = { id: 'adr_2', kind: 'slack', url: 'https://chat.example.com/hooks/1' };
  await send(to, noticeOf('opened', [incident({ sample })], to.id, 1), new AbortController().signal);
  expect(bodies.join('')).toContain(
    'message &lt;!channel&gt; @\u200bChannel @\u200ball @\u200bada a@example.com [x]\u200b(https://y.example)',
  );
});
