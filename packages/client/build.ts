/** Second half of `npm run build`: the one file a script tag loads. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

const dist = join(import.meta.dirname, 'dist');
mkdirSync(dist, { recursive: true });
writeFileSync(
  join(dist, 'millrace.min.js'),
  await bundle(join(import.meta.dirname, 'src/script.ts'), { format: 'iife' }),
);
