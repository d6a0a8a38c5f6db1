import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { pip, run, unlessMissing } from './install.ts';

const service = sharedService();

const [NAME, VERSION] = ['standardwebhooks', '1.1.0'];

test(`${NAME} ${VERSION} for Python accepts what is delivered, and refuses what was changed or is old`, async ({
  skip,
}) => {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const source = await service.source();
  const receiver = await receive();
  const made = await service.destination(source, receiver.url(), {
    settings: { webhooks: [{ url: receiver.url() }], signatures: ['standard'] },
  });
  const secret = String(made.standardSecret);
  service.secrets.add(secret);
  await service.accept(source);
  await receiver.waitFor(1);
  const [delivered] = receiver.arrivals;
  const { headers = {}, text = '' } = delivered ?? {};
  const id = headers['webhook-id'] ?? '';
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const old = new Date(at.getTime() - 600_000);
  const other = `whsec_${Buffer.alloc(32, 'o').toString('base64')}`;
  const signed = (when: Date, signature: string): object => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(when.getTime() / 1000)),
    'webhook-signature': signature,
  });
  const cases = [
    { secret, body: text, headers },
    { secret, body: `${text} `, headers },
    { secret: other, body: text, headers },
    { secret, body: text, headers: { ...headers, 'webhook-id': `${id}x` } },
    { secret, body: text, headers: signed(old, new Webhook(secret).sign(id, old, text)) },
  ];
  const [asked, verdicts] = [join(folder, 'cases.json'), join(folder, 'verdicts.json')];
  writeFileSync(asked, JSON.stringify(cases));
  await unlessMissing(`${NAME} ${VERSION}`, skip, async () => {
    const program = join(import.meta.dirname, 'programs', 'verify.py');
    const { command, args, env } = await pip(folder, NAME, VERSION, program);
    await run(command, args, folder, { ...env, CASES: asked, VERDICTS: verdicts });
    expect(JSON.parse(readFileSync(verdicts, 'utf8'))).toEqual([true, false, false, false, false]);
  });
});
