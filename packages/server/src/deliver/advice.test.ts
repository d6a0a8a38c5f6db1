import { expect, test } from 'vitest';
import { messageAnswered, nameUnknown } from './advice.ts';
import { classifyStatus, sendError } from './classify.ts';

test.each([
  [200, 'Answered 200.'],
  [204, 'Answered 204.'],
  [301, 'Redirects are not followed'],
  [400, 'would fail and not be tried again'],
  [401, 'such as Authorization'],
  [403, 'such as Authorization'],
  [404, 'check the path'],
  [405, 'takes no POST'],
  [410, 'check the path'],
  [413, 'too large'],
  [415, 'application/json'],
  [429, 'would be tried again later'],
  [500, 'its own log says why'],
])('an answer of %i', (status, advice) => {
  expect(messageAnswered({ class: classifyStatus(status), status, detail: null })).toContain(advice);
});

test('no answer tells why', () => {
  const { class: outcome, detail } = sendError('timeout', '5000 ms');
  expect(messageAnswered({ class: outcome, status: null, detail })).toBe(
    'No answer. No response headers came in time: 5000 ms',
  );
});

test('a name server that is silent is not a name that is wrong', () => {
  expect(nameUnknown('example.com', sendError('timeout', '5000 ms'))).toContain('Try again');
  expect(nameUnknown('example.com', sendError('dns_failure'))).toContain('Check the spelling');
});
