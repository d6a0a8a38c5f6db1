import { hash } from 'node:crypto';
import { toText } from './text.ts';

/** The key of a text, since an index can't contain long texts: 128 bits of its SHA-256, as a uuid. */
export function keyOf(text: string): string {
  const hex = hash('sha256', toText(text), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
