import page from '../../../../docs/glossary.md?raw';

export interface Term {
  readonly word: string;
  readonly means: string;
  /** The place in docs/ that says more. */
  readonly see: string;
}

/** The words of docs/glossary.md, by alphabet. */
export const TERMS: readonly Term[] = [...page.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.+) \|$/gm)].map(
  ([, word = '', see = '', means = '']) => ({ word, means, see }),
);
