import manifest from '../../package.json' with { type: 'json' };

/** The version in the product's package.json. */
export const VERSION: string = manifest.version;
