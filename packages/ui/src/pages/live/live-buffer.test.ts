import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../../server/src/admin/contract.ts';
import { LiveBuffer, MOST_ROWS } from './live-buffer.ts';

/** A buffer, and the pictures that it is asked for. */
function buffered() {
  const due: (() => void)[] = [];
  const buffer = new LiveBuffer((tell) => due.push(tell));
  const draw = (): void => {
    for (const tell of due.splice(0)) tell();
  };
  const come = (...ids: (string | number)[]): void => {
    for (const id of ids) buffer.event({ messageId: String(id) } as LiveEvent);
  };
  const shown = (): string[] => buffer.view().rows.map(({ messageId }) => messageId);
  return { buffer, due, draw, come, shown };
}

test('the newest are on top, and a picture is asked for once however many come', () => {
  const { due, draw, come, shown } = buffered();
  come(1, 2, 3);
  expect(due.length).toBe(1);
  draw();
  come(4);
  draw();
  expect(shown()).toEqual(['4', '3', '2', '1']);
});

test('it holds no more than it says, seen or unseen', () => {
  const { draw, come, shown } = buffered();
  come(...Array.from({ length: 2 * MOST_ROWS }, (_, i) => i));
  draw();
  expect(shown().length).toBe(MOST_ROWS);
  expect(shown()[0]).toBe(String(2 * MOST_ROWS - 1));
  come('newer');
  draw();
  expect(shown().length).toBe(MOST_ROWS);
  expect(shown()[0]).toBe('newer');
});

test('a pause keeps what came and counts what comes; then it goes on with the newest', () => {
  const { buffer, draw, come, shown } = buffered();
  come('a', 'b');
  buffer.pause();
  draw();
  expect(shown()).toEqual(['b', 'a']);
  come('c');
  buffer.rate({ matched: 700, sent: 1, accepted: 900 });
  buffer.rate({ matched: 300, sent: 0, accepted: 300 });
  draw();
  expect(shown()).toEqual(['b', 'a']);
  expect(buffer.view().missed).toBe(1_000);
  buffer.resume();
  draw();
  expect(shown()).toEqual(['c', 'b', 'a']);
  expect(buffer.view().missed).toBe(0);
});

test('two arrivals of one message are two rows', () => {
  const { buffer, draw, come } = buffered();
  come('same', 'same');
  draw();
  expect(new Set(buffer.view().rows.map(({ place }) => place)).size).toBe(2);
});

test('a lost connection has no rate', () => {
  const { buffer, draw } = buffered();
  buffer.connection('open');
  buffer.rate({ matched: 1, sent: 1, accepted: 1 });
  buffer.connection('lost');
  draw();
  expect(buffer.view()).toMatchObject({ connection: 'lost', rate: null });
});
