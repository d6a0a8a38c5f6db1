import { expect, test } from 'vitest';
import { DeliveryTrouble } from './delivery-trouble.ts';

function world(): { pass(ms: number): void; readonly lines: unknown[]; readonly trouble: DeliveryTrouble } {
  let now = 1_000;
  const lines: unknown[] = [];
  const trouble = new DeliveryTrouble({
    now: () => now,
    log: ({ destinationId, failures }, message) => lines.push([destinationId, failures, message]),
  });
  return {
    pass: (ms) => {
      now += ms;
    },
    lines,
    trouble,
  };
}

test('what keeps failing is shown with its destinations, until it no longer fails; one line a minute is logged', () => {
  const { pass, lines, trouble } = world();
  for (let second = 0; second <= 60; second += 1) {
    for (const id of ['a', 'b', 'c', 'd', 'e']) trouble.failed('cannot read', new Error('x.db is damaged'), id);
    expect(trouble.words()).toBe(second < 10 ? null : 'cannot read: x.db is damaged (a, b, c and 2 more)');
    pass(1_000);
  }
  expect(lines.slice(0, 2)).toEqual([
    ['a', 1, 'cannot read; trying again'],
    ['b', 1, 'cannot read; trying again'],
  ]);
  expect(lines.slice(5)).toEqual(['a', 'b', 'c', 'd', 'e'].map((id) => [id, 60, 'cannot read; trying again']));
  pass(15_000);
  expect(trouble.words()).toBeNull();
});

test('errors that the next try mends are not shown, and what concerns all names no destination', () => {
  const { pass, trouble } = world();
  for (let i = 0; i < 5; i += 1) {
    trouble.failed('cannot record', new Error('no connection'));
    trouble.failed('cannot read', new Error('no connection'), 'a');
    pass(16_000);
    expect(trouble.words()).toBeNull();
  }
  for (let i = 0; i <= 10; i += 1) {
    trouble.failed('cannot record', new Error('no connection'));
    pass(1_000);
  }
  expect(trouble.words()).toBe('cannot record: no connection');
});
