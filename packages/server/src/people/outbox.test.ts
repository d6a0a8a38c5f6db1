import { expect, test } from 'vitest';
import type { Source } from '../core/source.ts';
import type { Message } from './contract.ts';
import { batchesOf, type Sender } from './outbox.ts';

function senderOf(definitionId: string): Sender | undefined {
  if (definitionId === 'gone') return undefined;
  const times = { createdAt: '2026-11-21T00:00:00.000Z', oldKey: null };
  const source: Source = {
    id: `src_${definitionId}`,
    name: definitionId,
    type: 'server',
    writeKey: 'k',
    enabled: true,
    ...times,
  };
  return { source, key: definitionId };
}

function message(id: number, definitionId: string, value = 'true'): Message {
  return { id, definitionId, userId: `u${id}`, value, at: 0 };
}

test('messages of a source keep their order in few batches, however they are mixed; without a sender they are in none', () => {
  const messages = [message(1, 'a'), message(2, 'b'), message(3, 'a'), message(4, 'gone'), message(5, 'b')];
  const ids = batchesOf(messages, senderOf).map((batches) =>
    batches.map((batch) => batch.messages.map(({ id }) => id)),
  );
  expect(ids).toEqual([[[1, 3]], [[2, 5]]]);
});

test('a batch stays below the limit of a request', () => {
  const long = JSON.stringify('x'.repeat(16_000));
  const [batches = []] = batchesOf(
    Array.from({ length: 100 }, (_, id) => message(id, 'a', long)),
    senderOf,
  );
  expect(batches.length).toBeGreaterThan(1);
  for (const { messages } of batches) expect(JSON.stringify(messages).length).toBeLessThan(500_000);
  expect(batches.flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual(
    Array.from({ length: 100 }, (_, id) => id),
  );
});
