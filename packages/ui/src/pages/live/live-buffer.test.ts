import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../../server/src/admin/contract.ts';
import { LiveBuffer, type LiveRow, MOST_ROWS } from './live-buffer.ts';

const AT = '2026-11-21T10:15:30.000Z';

function row(id: string, more: Partial<LiveEvent> = {}): LiveRow {
  const words = { position: 1, messageId: id, sourceId: 's', type: 'track', event: 'Buy', userId: null } as const;
  return { ...words, receivedAt: AT, body: `{"Id":"${id}"}`, ...more, id };
}

function refused(id: string, receivedAt = AT): LiveRow {
  return { id, sourceId: null, code: 'unknown_write_key', message: 'No', part: '', receivedAt };
}

/** A buffer, and the pictures that it is asked for. */
function buffered() {
  const due: (() => void)[] = [];
  const buffer = new LiveBuffer((tell) => due.push(tell));
  const draw = (): void => {
    for (const tell of due.splice(0)) tell();
  };
  const come = (...ids: (string | number)[]): void => {
    for (const id of ids) buffer.come(row(String(id)));
  };
  const shown = (): string[] => buffer.view().rows.map(({ id }) => id);
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
  // A stream that is opened again begins with what was there.
  come('a', 'b', 'c');
  expect(buffer.view().missed).toBe(1_000);
  buffer.resume();
  draw();
  expect(shown()).toEqual(['c', 'b', 'a']);
  expect(buffer.view().missed).toBe(0);
});

test('what the stream begins with again is shown once, and stands where its time is', () => {
  const { buffer, draw, come, shown } = buffered();
  come('b', 'c');
  draw();
  buffer.come(row('a', { receivedAt: '2026-11-21T10:15:29.000Z' }));
  come('b', 'c', 'd', 'd');
  draw();
  expect(shown()).toEqual(['d', 'c', 'b', 'a']);
});

test('another filter shows what passes of what is there, and the one before finds it again', () => {
  const { buffer, draw, shown } = buffered();
  buffer.come(row('a', { event: 'Sell', userId: 'u', type: 'page', sourceId: 't' }));
  buffer.come(row('b'));
  buffer.come(refused('x'));
  const rows = (filter: Parameters<LiveBuffer['filter']>[0]): string[] => {
    buffer.filter(filter);
    draw();
    return shown();
  };
  expect(rows({ text: '"ID":"A' })).toEqual(['a']);
  for (const filter of [{ event: 'Sell' }, { userId: 'u' }, { type: 'page' }, { sourceId: 't' }]) {
    expect(rows(filter)).toEqual(['a']);
  }
  expect(rows({ text: 'write_KEY' })).toEqual(['x']);
  expect(rows({})).toEqual(['x', 'b', 'a']);
});

test('what was cleared does not come again', () => {
  const { buffer, draw, come, shown } = buffered();
  come('a');
  buffer.clear();
  come('a');
  buffer.come(row('b', { receivedAt: '2026-11-21T10:15:31.000Z' }));
  draw();
  expect(shown()).toEqual(['b']);
});

test('a lost connection has no rate', () => {
  const { buffer, draw } = buffered();
  buffer.connection('open');
  buffer.rate({ matched: 1, sent: 1, accepted: 1 });
  buffer.connection('lost');
  draw();
  expect(buffer.view()).toMatchObject({ connection: 'lost', rate: null });
});
