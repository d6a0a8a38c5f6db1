import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { smallDiskFor } from '../../../../test/small-disk.ts';
import { secureFolder } from './data-folder.ts';

const OWN = process.getuid?.() ?? 0;
const ANOTHER = OWN + 1;

test('a folder and files that every user may read are mended', () => {
  const others = { 'events-1-2.db.foreign': 0o644, 'events-1-2.db.foreign-wal': 0o644, 'loopback-allowed': 0o644 };
  const path = folder(0o755, { 'millrace.db': 0o644, 'events-1-1.db-wal': 0o666, 'admin-token': 0o604, ...others });
  expect(warnings(path)).toEqual([]);
  expect(modeOf(path)).toBe(0o700);
  for (const name of ['millrace.db', 'events-1-1.db-wal', 'admin-token', ...Object.keys(others)])
    expect(modeOf(join(path, name)), name).toBe(0o600);
});

test('a group that was let in stays, and other files are left alone', () => {
  const path = folder(0o750, { 'millrace.db': 0o640, 'notes.txt': 0o644 });
  expect(warnings(path)).toEqual([]);
  expect(modeOf(path)).toBe(0o750);
  expect(modeOf(join(path, 'millrace.db'))).toBe(0o640);
  expect(modeOf(join(path, 'notes.txt'))).toBe(0o644);
});

test.each([
  [0o2770, 'its group'],
  [0o2775, 'every user of this machine'],
])('a folder of another user with mode %o is used, with a warning', (mode, who) => {
  const path = folder(mode, { 'millrace.db': 0o660 });
  const [warning, ...others] = warnings(path, ANOTHER);
  expect(warning).toContain(path);
  expect(warning).toContain(who);
  expect(others).toEqual([]);
});

test('a folder of another user that every user may write to is refused', () => {
  const path = folder(0o777);
  expect(() => warnings(path, ANOTHER)).toThrow(
    `may write to ${path}, and another user owns it. Let its owner run: chmod o= '${path}'`,
  );
});

test('a file of another user that every user may read is refused', () => {
  const path = folder(0o700, { 'people.db': 0o644 });
  expect(() => warnings(path, ANOTHER)).toThrow(`chmod o= '${join(path, 'people.db')}'`);
});

test('what is no folder is refused, and keeps its mode', () => {
  const path = join(folder(0o700, { 'hosts.txt': 0o644 }), 'hosts.txt');
  expect(() => warnings(path)).toThrow(`The data folder ${path} is no folder. Name another by MILLRACE_DATA_DIR`);
  expect(modeOf(path)).toBe(0o644);
});

test('a folder of other things, named by mistake, keeps its mode, and so do the databases of others in it', () => {
  const path = folder(0o755, { 'hosts.txt': 0o644, 'accounts.db': 0o644 });
  expect(warnings(path)).toEqual([expect.stringContaining(`The data folder ${path} has other files too`)]);
  // The next start finds files of the service there.
  writeFileSync(join(path, 'millrace.db'), 'x');
  chmodSync(join(path, 'millrace.db'), 0o644);
  expect(warnings(path)).toHaveLength(1);
  expect(modeOf(path)).toBe(0o755);
  expect(modeOf(join(path, 'accounts.db'))).toBe(0o644);
  expect(modeOf(join(path, 'millrace.db'))).toBe(0o600);
});

test('a folder of other things that every user may write to is refused, and keeps its mode', () => {
  const path = folder(0o1777, { 'notes.txt': 0o644 });
  expect(() => warnings(path)).toThrow(`${path} has other files and none of Millrace`);
  expect(modeOf(path)).toBe(0o1777);
});

test('the root of a disk is closed', () => {
  const path = folder(0o777, { '.snapshot': 0o644 });
  mkdirSync(join(path, 'lost+found'));
  expect(warnings(path)).toEqual([]);
  expect(modeOf(path)).toBe(0o700);
});

test('where the folder is a link, the folder itself counts', () => {
  const path = folder(0o750, { 'millrace.db': 0o644 });
  const link = `${path}-link`;
  symlinkSync(path, link);
  onTestFinished(() => rmSync(link));
  expect(warnings(link)).toEqual([]);
  expect(modeOf(path)).toBe(0o750);
  expect(modeOf(join(path, 'millrace.db'))).toBe(0o600);
});

test('where a file is a link, the file itself counts', () => {
  const path = folder(0o700);
  const elsewhere = folder(0o700, { token: 0o440, 'open.db': 0o644 });
  symlinkSync(join(elsewhere, 'token'), join(path, 'admin-token'));
  symlinkSync(join(elsewhere, 'open.db'), join(path, 'people.db'));
  symlinkSync(join(elsewhere, 'nowhere'), join(path, 'millrace.db'));
  expect(warnings(path)).toEqual([]);
  expect(modeOf(join(elsewhere, 'token'))).toBe(0o440);
  expect(modeOf(join(elsewhere, 'open.db'))).toBe(0o600);
});

test('a link to a file on a disk that can’t be written is used where it is closed, and refused where it is open', (context) => {
  const disk = smallDiskFor(context, 1);
  const path = folder(0o700);
  const token = join(disk.folder, 'token');
  writeFileSync(token, 'x');
  symlinkSync(token, join(path, 'admin-token'));
  const remount = (how: string): void => void spawnSync('mount', ['-o', `remount,${how}`, disk.folder]);
  chmodSync(token, 0o440);
  remount('ro');
  expect(warnings(path)).toEqual([]);
  remount('rw');
  chmodSync(token, 0o644);
  remount('ro');
  expect(() => warnings(path)).toThrow(
    `Every user of this machine may read ${join(path, 'admin-token')}, and that can't be changed (EROFS`,
  );
});

function warnings(path: string, uid = OWN): string[] {
  const told: string[] = [];
  secureFolder(path, uid, (text) => told.push(text));
  return told;
}

function folder(mode: number, files: Readonly<Record<string, number>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, own] of Object.entries(files)) {
    writeFileSync(join(path, name), 'x');
    chmodSync(join(path, name), own);
  }
  chmodSync(path, mode);
  return path;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}
