import guide from '../../../../../docs/signing.md?raw';

export interface Example {
  readonly language: string;
  readonly code: string;
}

/** The functions of docs/signing.md, which are run by its tests. */
export const EXAMPLES: readonly Example[] = [...guide.matchAll(/^### (.+)\n+```\w+\n([\s\S]*?)\n```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);
