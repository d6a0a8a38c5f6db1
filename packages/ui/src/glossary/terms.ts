import page from '../../../../docs/glossary.md?raw';

export interface Term {
  readonly word: string;
  readonly means: string;
  /** Link to a part of docs/ with more detail. */
  readonly see: string;
}

/** The words of docs/glossary.md, in alphabetical order. */
export const TERMS: readonly Term[] = [...page.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.+) \|$/gm)].map(
  ([, word = '', see = '', means = '']) => ({ word, means, see }),
);
