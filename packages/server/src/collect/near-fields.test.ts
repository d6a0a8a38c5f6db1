import { expect, test } from 'vitest';
import { CALL_FIELDS } from './call.ts';
import { slipNamer } from './near-fields.ts';
import { refuse } from './refusal.ts';

const NO_ID = refuse('no_user_or_anonymous_id', 'No id.');

function told(call: unknown, refusal = NO_ID): string {
  return slipNamer(CALL_FIELDS)(refusal, call).message.replace(/^\S+ \S+ ?/, '');
}

test.each([
  ['userID', 'userId'],
  ['user_id', 'userId'],
  ['USER-ID', 'userId'],
  ['usrId', 'userId'],
  ['anonymous_id', 'anonymousId'],
  ['anonimousId', 'anonymousId'],
  ['messageID', 'messageId'],
  ['timeStamp', 'timestamp'],
  ['propertes', 'properties'],
  ['trait', 'traits'],
  ['events', 'event'],
  ['group_id', 'groupId'],
  ['previousID', 'previousId'],
])('%s is taken for %s', (key, field) => {
  expect(told({ [key]: 'x' })).toBe(`"${key}" is no field of a call: did you mean "${field}"?`);
});

test.each([
  ['a field of a call', { traits: {}, context: {}, writeKey: 'k', version: 1 }],
  ['a name that is like none', { email: 'a@b', id: 7, uid: 1, plan: 'pro', _metadata: {} }],
  ['a slip beside the field itself', { user_id: 'u', userId: '' }],
  ['a key without an end', { [`userId${'_'.repeat(40)}`]: 'u' }],
  ['what is no call', [{ user_id: 'u' }]],
  ['the 51st key', { ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, 1])), user_id: 'u' }],
])('nothing is said of %s', (_, call) => {
  expect(told(call)).toBe('');
});

test('three are named, and only where a field is missing', () => {
  const call = { user_id: 'u', Event: 'E', propertes: {}, timeStamp: 1 };
  expect(told(call).match(/did you mean/g)).toHaveLength(3);
  expect(told(call, refuse('traits_not_object', 'No object.'))).toBe('');
});

test('of a request 200 different keys are compared', () => {
  const name = slipNamer(CALL_FIELDS);
  const many = (from: number): object =>
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${from + n}`, 1]));
  for (const from of [0, 50, 100, 150]) name(NO_ID, many(from));
  expect(name(NO_ID, { user_id: 'u' })).toBe(NO_ID);
});
