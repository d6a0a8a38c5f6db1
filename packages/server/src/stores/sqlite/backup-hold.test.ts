import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { giveUp, type Hold, heldMs, newHold, standStill, whileHeld } from './backup-hold.ts';

/** Another thread that stands still, as the writer does. */
function writer(hold: Hold): void {
  const module = JSON.stringify(new URL('./backup-hold.ts', import.meta.url));
  const code = `import(${module}).then(({ standStill }) => standStill(require('node:worker_threads').workerData))`;
  const worker = new Worker(code, { eval: true, workerData: hold });
  onTestFinished(async () => void (await worker.terminate()));
}

/** Takes longer than the writer waits. */
const tooLong = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);

test('the work is done while the writer stands still', () => {
  const hold = newHold();
  writer(hold);
  expect(whileHeld(hold, () => 'a snapshot')).toBe('a snapshot');
});

test('a snapshot that takes too long is none, and the writer goes on', () => {
  const hold = newHold();
  writer(hold);
  expect(() => whileHeld(hold, tooLong)).toThrow('could not be opened within 1 s');
  expect(heldMs(hold)).toBeGreaterThan(900);
  expect(heldMs(hold)).toBeLessThan(1_500);
});

test('work that fails lets the writer go on at once', () => {
  const hold = newHold();
  writer(hold);
  const fail = (): never => {
    throw new Error('no such file');
  };
  expect(() => whileHeld(hold, fail)).toThrow('no such file');
  standStill(hold);
});

test('a hold that was given up holds no thread', () => {
  const hold = newHold();
  giveUp(hold);
  standStill(hold);
  expect(heldMs(hold)).toBe(0);
  expect(() => whileHeld(hold, () => 'a snapshot')).toThrow('did not come to rest');
});
