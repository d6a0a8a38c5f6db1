import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MOST_GROUPS, type RejectionGroup, UNKNOWN_KEYS } from '../core/rejection.ts';
import type { RejectionStore, Retention } from './contract.ts';

/** An implementation in an empty world of its own, as its tests open it. */
export interface RejectionWorld {
  /** Others after `reopen`. */
  readonly rejections: RejectionStore;
  readonly retention: Retention;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** A minute after the epoch, so that it is not what a zero would be. */
const AT = 60_000;

function group(more: Partial<RejectionGroup> = {}): RejectionGroup {
  const nobody = { key: null, address: null, userAgent: null };
  const words = { sourceId: 's', code: 'event_required', message: 'A \0 and a \ud800', example: '{"a":"\\u0000"}' };
  return { ...nobody, ...words, count: 1, firstAt: AT, lastAt: AT, ...more };
}

/** What every `RejectionStore` promises (record/contract.ts), as tests. */
export function rejectionConformance(name: string, open: () => Promise<RejectionWorld>): void {
  describe(`${name} keeps the contract of refused calls`, () => {
    let world: RejectionWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test('adds up what is alike, after a restart too, and keeps the newer example', async () => {
      const unknown = group({
        sourceId: null,
        key: '••••abcd',
        address: '192.0.2.1',
        userAgent: 'curl/8',
        lastAt: AT + 9,
      });
      await world.rejections.add([group({ count: 2 }), unknown]);
      await world.reopen();
      const later = group({ count: 3, firstAt: AT + 5, lastAt: AT + 7, example: 'newer' });
      await world.rejections.add([later, group({ sourceId: 't', lastAt: AT + 1 })]);
      const sum = { ...later, count: 5, firstAt: AT };
      expect(await world.rejections.groups(null)).toEqual([unknown, sum, group({ sourceId: 't', lastAt: AT + 1 })]);
      expect(await world.rejections.groups(null, 2)).toEqual([unknown, sum]);
      expect(await world.rejections.groups('s')).toEqual([sum]);
      expect(await world.rejections.groups(UNKNOWN_KEYS)).toEqual([unknown]);
      expect(await world.rejections.groups('other')).toEqual([]);
    });

    test('keeps the newest of each source, and retention nothing that was not seen for long', async () => {
      const many = Array.from({ length: MOST_GROUPS + 5 }, (_, i) => group({ message: `m${i}`, lastAt: AT + i }));
      await world.rejections.add([...many, group({ sourceId: 't' })]);
      const kept = await world.rejections.groups('s');
      expect(kept.map(({ message }) => message)).toEqual(
        many
          .slice(5)
          .map(({ message }) => message)
          .toReversed(),
      );
      expect(await world.rejections.groups('t')).toHaveLength(1);
      await world.rejections.add([group({ sourceId: 'u', lastAt: AT + 200 })]);
      await world.retention.expire(AT + 100);
      expect((await world.rejections.groups(null)).map(({ sourceId }) => sourceId)).toEqual([
        'u',
        ...Array.from({ length: 5 }, () => 's'),
      ]);
    });

    test('removes examples and nothing else', async () => {
      const other = group({ code: 'invalid_json' });
      await world.rejections.add([group(), other]);
      await world.rejections.removeExamples([group(), group({ sourceId: 'gone' })]);
      const left = await world.rejections.groups('s');
      expect(new Set(left)).toEqual(new Set([group({ example: '' }), other]));
      await world.rejections.removeExamples([]);
    });
  });
}
