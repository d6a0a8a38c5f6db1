import { expect, test } from 'vitest';
import { SEND_ERRORS } from '../core/send-error.ts';
import { causeOf } from './causes.ts';

test.each(Object.entries(SEND_ERRORS))('%s has a title, something to do, and its class', (code, error) => {
  const cause = causeOf(code);
  expect(cause).toMatchObject({ title: error.means, class: error.class });
  expect(cause.advice).toMatch(/\.$/);
});

test.each([
  ['401', 'permanent', 'compare the shared secret'],
  ['410', 'permanent', 'Pause this URL, or remove it'],
  ['timeout', 'temporary', 'If no connection was open, the host is down'],
  ['dns_failure', 'temporary', 'EAI_AGAIN: no name server gave an answer'],
  ['429', 'temporary', 'limits its rate'],
  ['503', 'temporary', 'read its log'],
  ['301', 'permanent', 'Redirects are not followed'],
  ['window_ended', 'permanent', 'Sending was paused'],
  ['retention_ended', 'permanent', 'replay these messages now'],
])('%s is %s', (end, outcome, advice) => {
  expect(causeOf(end).class).toBe(outcome);
  expect(causeOf(end).advice).toContain(advice);
});

test('what is not known keeps its code', () => {
  expect(causeOf('toString').title).toBe('toString');
  expect(causeOf('from_the_future').title).toBe('from_the_future');
});

test('a status that the policy takes otherwise says so', () => {
  const policy = { permanentStatuses: [429], temporaryStatuses: [404, 503] };
  expect(causeOf('404', policy)).toMatchObject({
    class: 'temporary',
    advice: expect.stringMatching(
      /check the path of the URL\. By the settings of this destination it is tried again\.$/,
    ),
  });
  expect(causeOf('429', policy)).toMatchObject({
    class: 'permanent',
    advice: expect.stringMatching(/By the settings of this destination it is not tried again\.$/),
  });
  expect(causeOf('503', policy)).toEqual(causeOf('503'));
  expect(causeOf('401', policy)).toEqual(causeOf('401'));
});
