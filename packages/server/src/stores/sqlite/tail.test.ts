import { expect, test } from 'vitest';
import type { LogEntry } from '../../core/event.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { Tail } from './tail.ts';

test('what an entry has beside its body counts, and an entry that is let go of counts no more', () => {
  const tail = new Tail(0, 100_000);
  const push = (position: number): void => {
    const entry: LogEntry = { ...sampleEvent('s', `m${position}`), position, unsent: 'x'.repeat(30_000) };
    tail.push(entry);
  };
  for (const position of [1, 2, 3]) push(position);
  expect(tail.read('s', 0, 9)).toHaveLength(3);
  tail.forget('s', 2);
  push(4);
  expect(tail.read('s', 0, 9)).toHaveLength(3);
  push(5);
  expect(tail.read('s', 0, 9)).toBeUndefined();
  expect(tail.read('s', 1, 9)).toHaveLength(3);
});
