/**
 * The code of each client library for Node, all it needs included, bundled and minified by the same bundler. Prints the
 * bytes after gzip as `{"millrace","segment"}`.
 */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundle } from '../../packages/client/bundle.ts';

const ENTRIES = {
  millrace: '../../packages/client/src/node.ts',
  segment: '../rival/node_modules/@segment/analytics-node/dist/esm/index.js',
} as const;

const sizes: Record<string, number> = {};
for (const [library, entry] of Object.entries(ENTRIES)) {
  const code = await bundle(join(import.meta.dirname, entry), { platform: 'node' });
  sizes[library] = gzipSync(code, { level: 9 }).length;
}
console.log(JSON.stringify(sizes));
