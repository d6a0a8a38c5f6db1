import { buffer, text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { KnownMember } from '../people/queries.ts';
import { type Download, download } from './download.ts';
import { EXPORT_PAGE, exportName, type MemberExport, memberFile } from './member-export.ts';
import { openWorld } from './test-server.ts';

function member(person: number, more: Partial<KnownMember> = {}): KnownMember {
  const id = `u${person}`;
  return { ...{ person, userId: id, id, ids: [id], value: 'true', since: 1_800_000_000_000, names: {} }, ...more };
}

const page = (from: number, count: number): KnownMember[] =>
  Array.from({ length: count }, (_, i) => member(from + i, { names: { name: 'x'.repeat(1_000) } }));

const exporting = ({
  clock = new HandClock(),
  mayGoOn = async () => true,
  ...of
}: Partial<MemberExport & Download> = {}) => {
  const none = { first: [], read: async () => [], check: async () => undefined };
  return download(memberFile({ format: 'csv', isTrait: false, ...none, ...of }), { clock, mayGoOn });
};

test.each([
  ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
  ['+49 30 1234', "'+49 30 1234"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ["'=1", "''=1"],
  [' a', '" a"'],
  ['a;=1', '"a;=1"'],
  ['\r=1', `"'\r=1"`],
  ['a,b "c"\nd', '"a,b ""c""\nd"'],
  [['=1'], '"[""=1""]"'],
  [-5, '-5'],
])('a cell of %j is text and nothing else', async (name, cell) => {
  const csv = await text(exporting({ first: [member(1, { names: { name } })] }));
  expect(csv.slice(csv.indexOf('\r\n') + 2)).toBe(`u1,u1,"[""u1""]",2027-01-15T08:00:00.000Z,,${cell},,,,\r\n`);
});

test('the value of a computed trait has a column; an unknown time and a missing user id are empty', async () => {
  const first = [member(1, { userId: null, since: null, value: '-7.5' }), member(2, { value: '"=1"' })];
  const [head, one, two] = String(await buffer(exporting({ first, isTrait: true }))).split('\r\n');
  expect(head).toBe('\ufeffuserId,id,ids,joinedAt,email,name,firstName,lastName,username,phone,value');
  expect(one).toBe(',u1,"[""u1""]",,,,,,,,-7.5');
  expect(two).toMatch(/,'=1$/);
});

test('pages follow each other to the last, and no page is read before the one before is taken', async () => {
  const first = page(1, EXPORT_PAGE);
  let asked = 0;
  const clock = new HandClock();
  const stream = exporting({
    ...{ format: 'ndjson', clock, first },
    read: async (before, limit) => {
      asked += 1;
      const [from, rest] = [before.person + 1, 5 * EXPORT_PAGE - before.person];
      return page(from, Math.min(rest, limit));
    },
  });
  stream.read(0);
  await new Promise(setImmediate);
  expect(asked).toBe(0);
  const lines = (await text(stream)).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).userId)).toEqual(page(1, 5 * EXPORT_PAGE).map(({ userId }) => userId));
  expect(asked).toBe(5);
  expect(clock.pending).toBe(0);
});

test('what fails on the way, or is not whole at the end, does not end as a whole file', async () => {
  const failing = { first: page(1, EXPORT_PAGE), read: () => Promise.reject(new Error('no storage')) };
  await expect(text(exporting(failing))).rejects.toThrow('no storage');
  const check = () => Promise.reject(new Error('changed'));
  await expect(text(exporting({ first: page(1, 1), check }))).rejects.toThrow('changed');
});

test('a client that has gone away is not waited for', async () => {
  const clock = new HandClock();
  const stream = exporting({ clock, first: page(1, EXPORT_PAGE), read: async ({ person }) => page(person + 1, 200) });
  const failed = new Promise<Error>((resolve) => stream.once('error', resolve));
  stream.read(0);
  await new Promise(setImmediate);
  clock.advance(60_000);
  expect(await failed).toMatchObject({ message: 'The file was not taken in time.' });
});

test('what is still being computed is not exported, since its file would lack members', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const made = await world.call('POST', '/api/audiences', { name: 'Buyers', definition: { event: { name: 'Order' } } });
  // It is begun, and goes no further.
  await world.people.stop();
  await world.call('POST', '/api/profiles/rebuild');
  const path = `/api/audiences/${String(made.body['id'])}/members/export?format=csv`;
  expect(await world.get(path)).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test('the name of a file is of plain letters', () => {
  expect(exportName('größe "x"\r\n', 'csv', 1_800_000_000_000)).toBe('gr_e_x_-members-2027-01-15.csv');
});

test('ends before the next part when who takes it was signed out', async () => {
  let left = 2;
  const stream = exporting({
    first: page(1, EXPORT_PAGE),
    read: async () => page(1, 1),
    mayGoOn: async () => left-- > 0,
  });
  await expect(text(stream)).rejects.toThrow('was signed out');
});
