import manifest from '../../package.json' with { type: 'json' };

/** The product's version, as its package says it. */
export const VERSION: string = manifest.version;
