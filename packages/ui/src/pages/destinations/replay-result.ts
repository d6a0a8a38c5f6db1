import type { Replay } from '../../../../server/src/admin/contract.ts';
import type { Tone } from '../../components/status-badge.tsx';
import { count } from '../../format/number.ts';

/** How a replay stands, by what became of its messages: one that only failed again is no success. */
export function standOf({ status, result }: Pick<Replay, 'status' | 'result'>): { tone: Tone; words: string } {
  if (status === 'running') return { tone: 'busy', words: 'running' };
  if (result !== null && result.waiting > 0) return { tone: 'busy', words: 'still waiting' };
  if (status === 'stopped') return { tone: 'off', words: 'stopped' };
  if (result === null) return { tone: 'idle', words: 'ended' };
  const { delivered, failed, filtered } = result;
  if (failed > 0)
    return delivered > 0 ? { tone: 'warn', words: 'partly failed' } : { tone: 'bad', words: 'failed again' };
  if (delivered > 0) return { tone: 'good', words: 'delivered' };
  return filtered > 0 ? { tone: 'off', words: 'filtered' } : { tone: 'idle', words: 'nothing sent' };
}

/** `3 delivered, 1 failed again`; what is none of it is left out. */
export function resultInWords(result: Replay['result']): string | null {
  if (result === null) return null;
  const parts = [
    [result.delivered, 'delivered'],
    [result.failed, 'failed again'],
    [result.filtered, 'filtered'],
    [result.waiting, 'still waiting'],
  ] as const;
  const words = parts.filter(([messages]) => messages > 0).map(([messages, what]) => `${count(messages)} ${what}`);
  return words.length === 0 ? 'nothing was sent' : words.join(', ');
}
