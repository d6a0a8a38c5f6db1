import { argon2Sync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Passwords } from './passwords.ts';

const passwords = new Passwords(randomBytes);

test('a password fits its own hash alone', async () => {
  const hash = await passwords.hash('correct horse battery');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwords.fits('correct horse battery', hash)).toBe(true);
  expect(await passwords.fits('correct horse batterz', hash)).toBe(false);
  expect(await passwords.fits('', hash)).toBe(false);
  expect(await passwords.hash('correct horse battery')).not.toBe(hash);
});

test('nothing fits where there is no account', async () => {
  expect(await passwords.fits('', null)).toBe(false);
  expect(await passwords.fits('correct horse battery', null)).toBe(false);
});

test('a password is the same however its letters were composed', async () => {
  const hash = await passwords.hash('Gr\u00fc\u00dfe aus K\u00f6ln');
  expect(await passwords.fits('Gru\u0308\u00dfe aus Ko\u0308ln', hash)).toBe(true);
});

test('a hash made with other parameters is checked with those', async () => {
  const nonce = Buffer.from('saltsaltsalt');
  const tag = argon2Sync('argon2id', { message: 'old', nonce, memory: 64, passes: 3, parallelism: 2, tagLength: 16 });
  const hash = `$argon2id$v=19$m=64,t=3,p=2$${nonce.toString('base64')}$${tag.toString('base64').replace(/=+$/, '')}`;
  expect(await passwords.fits('old', hash)).toBe(true);
  expect(await passwords.fits('new', hash)).toBe(false);
});

test('a caller that comes when too many wait is sent away, and the others are served', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 30 }, () => passwords.fits('x', null)));
  const refused = answers.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10);
  for (const answer of refused) expect(answer).toMatchObject({ reason: { code: 'rate_limited', retryAfter: 5 } });
  expect(await passwords.fits('x', null)).toBe(false);
});
