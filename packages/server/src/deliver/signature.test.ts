import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { signer } from './signature.ts';

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly body: string;
  readonly body_bytes: number;
  readonly x_signature: string;
}

const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/signature-vectors.json', import.meta.url), 'utf8'),
);

test.each(vectors)('signs the vector $name', ({ secret, body, body_bytes, x_signature }) => {
  const bytes = Buffer.from(body);
  expect(bytes.length).toBe(body_bytes);
  expect(signer(secret)(bytes)).toBe(x_signature);
});

test('one signer signs many bodies, each on its own', () => {
  const [first, second] = vectors;
  if (first === undefined || second === undefined) throw new Error('the vectors are missing');
  const sign = signer(first.secret);
  expect([first, second, first].map(({ body }) => sign(Buffer.from(body)))).toEqual([
    first.x_signature,
    second.x_signature,
    first.x_signature,
  ]);
});

test('the key is the UTF-8 bytes of the secret', () => {
  const body = Buffer.from('{}');
  expect(signer('clé')(body)).not.toBe(signer('cle')(body));
});
