import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fillUp, smallDiskFor } from '../small-disk.ts';
import { BIN, Command, folder, millrace, serviceForFile } from './command.ts';

const service = await serviceForFile();

test('on a full disk the file that was there stays as it was: exit code 1', async (context) => {
  const disk = smallDiskFor(context, 1);
  const path = join(disk.folder, 'settings.yaml');
  writeFileSync(path, 'before');
  fillUp(join(disk.folder, 'ballast'));
  const { code, stderr } = await millrace(['export', '-o', path], { env: service.env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`millrace: cannot write ${path}: ENOSPC`)]);
  expect(readFileSync(path, 'utf8')).toBe('before');
  expect(readdirSync(disk.folder).toSorted()).toEqual(['ballast', 'settings.yaml']);
});

test('a link stays one, and the file that it leads to is replaced', async () => {
  const path = folder();
  const [file, link] = [join(path, 'settings.yaml'), join(path, 'link.yaml')];
  writeFileSync(file, 'before', { mode: 0o644 });
  symlinkSync(file, link);
  expect((await millrace(['export', '-o', link], { env: service.env })).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('sources:');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(path).toSorted()).toEqual(['link.yaml', 'settings.yaml']);
});

test('what is no plain file is written to; what can’t be opened is not tried', async () => {
  const shell = ['-c', '"$0" "$@" | cat', process.execPath, BIN, 'export', '-o', '/dev/stdout'];
  const piped = new Command('sh', shell, { env: service.env, cwd: folder() });
  onTestFinished(() => void piped.signal('SIGKILL'));
  expect(await piped.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('sources:') });
  const full = await millrace(['export', '-o', '/dev/full'], { env: service.env });
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('cannot write /dev/full: ENOSPC')]);
  const path = join(folder(), 'nowhere', 'settings.yaml');
  const { code, stderr } = await millrace(['export', '-o', path], { env: service.env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot write ${path}: ENOENT`)]);
});
