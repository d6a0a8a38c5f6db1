import { rolldown } from 'rolldown';

export interface BundleOptions {
  /** `iife` defines the entry's exports as properties of the global `name`. */
  readonly format?: 'esm' | 'iife';
  readonly name?: string;
  readonly platform?: 'browser' | 'node';
}

/** Everything a module needs, as one minified file; answers its text and writes nothing. */
export async function bundle(entry: string, options: BundleOptions = {}): Promise<string> {
  const { format = 'esm', platform = 'browser', name } = options;
  const build = await rolldown({ input: entry, platform, logLevel: 'warn' });
  try {
    const { output } = await build.generate({
      format,
      minify: true,
      comments: false,
      ...(name === undefined ? {} : { name }),
    });
    const [{ code }] = output;
    return code;
  } finally {
    await build.close();
  }
}
