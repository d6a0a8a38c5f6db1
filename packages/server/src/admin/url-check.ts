import { messageAnswered } from '../deliver/advice.ts';
import { checkHeaders } from '../deliver/headers.ts';
import type { NewUrlCheck, UrlCheck } from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { SAMPLE_CALL } from './sample-call.ts';
import { testedView } from './views.ts';

type UrlCheckDeps = Pick<AdminDeps, 'inspect' | 'readTest' | 'sendTest' | 'checkUrl'>;

/**
 * Whether a URL that is not saved yet can be delivered to: the way there, step by step, and at its end one real signed
 * message, which is never retried. Each step has the delivery timeout for itself.
 */
export async function checkUrlWhole(
  { url, headers = {}, sharedSecret = null, connect = true, send = connect }: NewUrlCheck,
  { inspect, readTest, sendTest, checkUrl }: UrlCheckDeps,
): Promise<UrlCheck> {
  const webhook = { url, headers };
  const [steps, refusal] = await Promise.all([inspect(webhook, connect), checkUrl(url)]);
  const canBeSaved = refusal === null && checkHeaders(headers).length === 0;
  const isOpen = steps.every(({ ok }) => ok);
  if (!isOpen || !connect || !send) return { ok: isOpen, canBeSaved, steps: [...steps], result: null };
  const target = { webhooks: [webhook], sharedSecret: sharedSecret || null };
  const { urls } = await sendTest(target, await readTest(SAMPLE_CALL));
  const [tested] = urls;
  if (tested === undefined) throw new Error('A test of one URL answered none');
  const ok = tested.class === 'success';
  const message = messageAnswered({ class: tested.class, ...tested.attempt });
  const last = { name: 'message' as const, ok, ms: tested.attempt.ms, message, field: ok ? null : 'url' };
  return { ok, canBeSaved, steps: [...steps, last], result: testedView(tested) };
}
