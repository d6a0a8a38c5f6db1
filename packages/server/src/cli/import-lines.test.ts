import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { type Line, type Place, placeAfter } from '../import/lines.ts';
import { openLines } from './import-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-lines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function file(bytes: Uint8Array): string {
  files += 1;
  const path = join(folder, String(files));
  writeFileSync(path, bytes);
  return path;
}

async function all(path: string, from: Place = { offset: 0, line: 0 }): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of (await openLines(path)).lines(from)) {
    // A part of a chunk, or bytes of its own.
    lines.push({ ...line, before: Uint8Array.from(line.before) });
  }
  return lines;
}

/** Longer than a chunk of the file system's, characters of several bytes everywhere, with and without a last line feed. */
const TEXTS = Array.from({ length: 5_000 }, (_, number) => `${'ü€😀'.repeat(number % 23)}${number}`);

test.each([
  ['plain', (text: Buffer) => text],
  ['packed', (text: Buffer) => gzipSync(text)],
])('%s: every line with its number and its end, from wherever an earlier run stopped', async (_, pack) => {
  const bytes = Buffer.from(`${TEXTS.join('\n')}\n`);
  const path = file(pack(bytes));
  const lines = await all(path);
  expect(lines.map(({ text }) => text)).toEqual(TEXTS);
  expect(lines.at(-1)).toMatchObject({ number: TEXTS.length, end: bytes.length });
  for (const stopped of [0, 1, 1_234, 4_998]) {
    const line = lines[stopped];
    if (line === undefined) throw new Error('no such line');
    expect(await all(path, placeAfter(line))).toEqual(lines.slice(stopped + 1));
  }
});

test('a last line without a line feed, an empty file, a byte order mark', async () => {
  expect(await all(file(Buffer.from('a\n\nb')))).toEqual([
    { number: 1, text: 'a', isUtf8: true, end: 2, before: bytesOf('a\n') },
    { number: 2, text: '', isUtf8: true, end: 3, before: bytesOf('a\n\n') },
    { number: 3, text: 'b', isUtf8: true, end: 4, before: bytesOf('a\n\nb') },
  ]);
  expect(await all(file(Buffer.alloc(0)))).toEqual([]);
  expect((await all(file(Buffer.from('\ufeff{}\n'))))[0]?.text).toBe('{}');
});

test('what is longer than anything that can be sent is no line, and the next one is; what is no UTF-8 is read as Latin-1', async () => {
  const long = Buffer.concat([Buffer.alloc(3_000_000, 'x'), Buffer.from('\nok\n')]);
  expect((await all(file(long))).map(({ text }) => text)).toEqual([null, 'ok']);
  expect(await all(file(Buffer.from([0xff, 0x0a, 0x61, 0x0a])))).toMatchObject([
    { text: 'ÿ', isUtf8: false },
    { text: 'a', isUtf8: true },
  ]);
});

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

test.each([
  ['plain', (text: Buffer) => text],
  ['packed', (text: Buffer) => gzipSync(text)],
])(
  '%s: with another byte among the last 1,024 before the place it is another file; what was added is read',
  async (_, pack) => {
    const text = Buffer.from(`${TEXTS.slice(0, 2_000).join('\n')}\n`);
    const path = file(pack(text));
    const lines = await all(path);
    for (const stopped of [0, 1, 500, 1_999]) {
      const line = lines[stopped];
      if (line === undefined) throw new Error('no such line');
      for (const at of [line.end - 1, Math.max(0, line.end - 1_024)]) {
        const other = Buffer.from(text);
        other.writeUInt8(other.readUInt8(at) ^ 1, at);
        writeFileSync(path, pack(other));
        await expect(all(path, placeAfter(line))).rejects.toThrow('is not the file whose import was begun');
      }
      writeFileSync(path, pack(Buffer.concat([text, Buffer.from('added\n')])));
      expect((await all(path, placeAfter(line))).at(-1)?.text).toBe('added');
    }
  },
);

test('a file that is shorter than it was is another file', async () => {
  for (const bytes of [Buffer.from('a\n'), gzipSync('a\n')]) {
    await expect(all(file(bytes), { offset: 100, line: 9 })).rejects.toThrow('is not the file whose import was begun');
  }
});

test('the share of a small file that lies before a place is no more than was sent, though the file was read whole', async () => {
  const lines = await openLines(file(Buffer.from('a\nb\nc\nd\n')));
  for await (const line of lines.lines({ offset: 0, line: 0 }))
    expect(lines.share(placeAfter(line))).toBe(line.number / 4);
});
