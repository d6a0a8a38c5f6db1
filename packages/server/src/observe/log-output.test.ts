import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillUp, smallDiskFor } from '../../../../test/small-disk.ts';
import { LogOutput } from './log-output.ts';

interface Line {
  readonly n?: number;
  readonly dropped?: number;
}

test('what does not fit is dropped and counted, in its place; at the end of the process what waits is tried once', async (context) => {
  const disk = smallDiskFor(context, 4);
  const [path, ballast] = [join(disk.folder, 'log'), join(disk.folder, 'ballast')];
  const descriptor = openSync(path, 'a');
  onTestFinished(() => closeSync(descriptor));
  let end: (() => void) | undefined;
  const output = new LogOutput({
    descriptor,
    onExit: (handler) => {
      end = handler;
    },
  });
  const write = (n: number): void => output.write(`${JSON.stringify({ n, text: 'x'.repeat(1_000) })}\n`);
  const lines = (): Line[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  fillUp(ballast);
  for (let n = 0; n < 2_000; n++) write(n);
  rmSync(ballast);
  await vi.waitFor(() => expect(lines().at(-1)?.dropped).toBeGreaterThan(900), { timeout: 10_000 });
  const written = lines().slice(0, -1);
  expect(written.map(({ n }) => n)).toEqual(written.map((_, n) => n));
  expect(lines().at(-1)).toMatchObject({ level: 'warn', dropped: 2_000 - written.length });
  write(2_000);
  write(2_001);
  end?.();
  expect(lines().map(({ n }) => n)).toContain(2_001);
  await vi.waitFor(() => expect(lines().map(({ n }) => n)).toContain(2_000));
});
