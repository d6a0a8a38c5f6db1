import { onTestFinished } from 'vitest';
import { systemClock } from '../packages/server/src/core/clock.ts';
import type { Outcome } from '../packages/server/src/core/delivery.ts';
import { Reach } from '../packages/server/src/deliver/reach.ts';
import { createOpenSender, type SendSettings } from '../packages/server/src/deliver/send.ts';
import type { Sender, SenderOptions } from '../packages/server/src/deliver/sender.ts';

export const BODY: Buffer = Buffer.from('{"version":1,"type":"track","userId":"u1","event":"Zürich"}');

/** A real sender, to private addresses too, until the test is over. */
export function openSender(
  url: string,
  settings: Partial<SendSettings> = {},
  options: Partial<SenderOptions> = {},
): Sender {
  const all = {
    clock: systemClock,
    timeout: 10_000,
    connections: 8,
    reach: new Reach({ allowPrivate: true, isLocal: false }),
    sourceTypeOf: () => 'web',
    ...settings,
  };
  const sender = createOpenSender(all)({ webhook: { url, headers: {} }, sharedSecret: null, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** One attempt. Fails when `done` is called at once, or twice before the test is over. */
export function attempt(sender: Sender, body: Uint8Array = BODY): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let calls = 0;
    let returned = false;
    sender.send({ body, sourceId: 'src_1', messageId: 'm-1', userId: 'u-1' }, (outcome) => {
      calls += 1;
      if (!returned) reject(new Error('done was called before send returned'));
      if (calls > 1) throw new Error('done was called twice');
      resolve(outcome);
    });
    returned = true;
  });
}
