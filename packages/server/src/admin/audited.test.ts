import { expect, test } from 'vitest';
import { changesOf } from './audited.ts';

const thing = (events: readonly string[]) => ({ events, revision: 1 });
const fields = ({ events }: ReturnType<typeof thing>) => ({ events: { value: events, shown: events } });

test('a long list that differs at its end shows the difference', () => {
  const events = Array.from({ length: 300 }, (_, n) => `Event ${n}`);
  const [value] = changesOf(fields, thing(events), thing([...events, 'Added'])).values;
  expect(value?.before).toMatch(/^….*"Event 299"\]$/);
  expect(value?.after).toMatch(/^….*"Event 299","Added"\]$/);
});

test('of a long list that is taken away its beginning is shown', () => {
  const events = Array.from({ length: 300 }, (_, n) => `Event ${n}`);
  const [value] = changesOf(fields, thing(events), null).values;
  expect(value).toMatchObject({ before: expect.stringMatching(/^\["Event 0".*…$/), after: null });
});

test('of a secret it is said that it changed', () => {
  const secret = ({ events: [value] }: ReturnType<typeof thing>) => ({ secret: { value, shown: null } });
  expect(changesOf(secret, thing(['a']), thing(['b'])).values).toEqual([
    { field: 'secret', before: null, after: null },
  ]);
});
