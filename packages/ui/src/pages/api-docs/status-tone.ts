import type { Tone } from '../../components/status-badge.tsx';

export function toneOfStatus(status: number): Tone {
  if (status < 300) return 'good';
  return status < 500 ? 'warn' : 'bad';
}
