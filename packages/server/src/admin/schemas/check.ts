import type { Static } from 'typebox';
import { TestedUrl } from './delivery.ts';
import { duration } from './destination.ts';
import { milliseconds, textOrNull, texts, whole } from './field.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
} from './shape.ts';

/** Accepts almost anything: errors in the URL or a header are reported by a step of the check. */
export type NewUrlCheck = Static<typeof NewUrlCheck>;
export const NewUrlCheck = input(
  'NewUrlCheck',
  {
    url: text('Full URL, http or https'),
    headers: optional(texts({ description: 'Static headers' })),
    sharedSecret: optional(nullable(text({ maxLength: 1024, writeOnly: true, description: 'Signs the test message' }))),
    connect: optional(flag({ default: true, description: 'False only looks up the name: no connection, no message' })),
    send: optional(flag({ default: true, description: 'Sends one real test message, once' })),
  },
  {
    description: 'A URL that is not saved yet, to be checked as delivery would use it',
    examples: [
      { url: 'https://crm.example.com/hook', headers: { 'X-Team': 'growth' }, sharedSecret: 'long and random' },
    ],
  },
);

export type UrlCheckStep = Static<typeof UrlCheckStep>;
export const UrlCheckStep = object({
  name: oneOf(
    ['url', 'headers', 'address', 'connect', 'tls', 'message'],
    '`url` and `headers`: can they be saved; `address`: DNS and the address guard; `connect`: TCP',
  ),
  ok: flag(),
  ms: milliseconds,
  message: text('What was found, or what is wrong and how to fix it'),
  field: nullable(text('The field that is wrong: `url`, `headers.X-Team`')),
});

export type UrlCheck = Static<typeof UrlCheck>;
export const UrlCheck = answer('UrlCheck', {
  ok: flag(),
  canBeSaved: flag('A destination may have it; a name that does not resolve may later'),
  steps: list(UrlCheckStep, 'In their order; they end with the first that fails'),
  result: nullable(TestedUrl, "The test message's attempt; null when it came not so far"),
});

/** The most characters of a body; no message is longer. */
const MAX_BODY = 131_072;

export type SignatureCheck = Static<typeof SignatureCheck>;
export const SignatureCheck = input(
  'SignatureCheck',
  {
    secret: text({ minLength: 1, maxLength: 1024, writeOnly: true }),
    body: text({ maxLength: MAX_BODY, description: 'The body as received, to the byte' }),
    signature: text({
      maxLength: 1024,
      description: 'The X-Signature header; of a secret of Standard Webhooks (`whsec_…`) webhook-signature',
    }),
    ...optionals({ webhookId: text({ maxLength: 1024 }), webhookTimestamp: text({ maxLength: 100 }) }),
  },
  'Nothing of it is kept or logged',
);

export type SignatureVerdict = Static<typeof SignatureVerdict>;
export const SignatureVerdict = answer('SignatureVerdict', {
  scheme: oneOf(['segment', 'standard'], 'By which such a secret signs'),
  equal: flag(),
  expected: text('What the header would have to be'),
  hint: described(textOrNull, 'When they differ: the likely reason'),
});

const ms = whole(0, 'Milliseconds');

export type RetrySchedule = Static<typeof RetrySchedule>;
export const RetrySchedule = answer(
  'RetrySchedule',
  {
    window: described(ms, 'From the first round to the last, milliseconds'),
    base: described(ms, 'Longest wait before the second round, milliseconds; it doubles with each round'),
    cap: described(ms, 'Longest wait of all, milliseconds'),
    rounds: list(
      object({
        round: whole(2, 'The first is at once'),
        ...{ waitAtLeast: ms, waitAtMost: ms, sinceFirstAtLeast: ms, sinceFirstAtMost: ms },
      }),
      'The second and those after it, up to the last or the 12th. What is at the end of the window is the last',
    ),
    more: flag('There are more than these: waits grow to `cap`, and the last round is at the end of the window'),
  },
  'When a message that no URL takes is tried again, where endpoints answer at once and ask for no wait',
);

export const scheduleQuery = closed(
  optionals({ retryWindow: duration('Of a policy that is not saved yet; that of the process where it is absent') }),
);
