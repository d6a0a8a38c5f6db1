import type { Source } from '../../../../server/src/admin/contract.ts';

/** The kinds of source, each with what it is for. */
export const SOURCE_TYPES: readonly {
  readonly value: Source['type'];
  readonly label: string;
  readonly about: string;
}[] = [
  { value: 'web', label: 'Web', about: 'Pages in a browser' },
  { value: 'mobile', label: 'Mobile', about: 'Apps on phones and tablets' },
  { value: 'server', label: 'Server', about: 'Your backend and its jobs' },
];
