import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names that say nothing about the job, and those that only say "see inside". */
const EMPTY_WORDS = /^(common|shared|misc|types?|libs?)$|(^|-)(utils?|helpers?)$/;

const NOT_OURS = new Set(['node_modules', 'dist', 'data', '.git']);

/** Deepest a file may lie: `src/stores/sqlite/log.ts` is two folders under `src`. */
const MAX_DEPTH = 2;

/** What is wrong with the names of these files, one line each. Paths are relative to the root, with `/`. */
export function badNames(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [...emptyNames(path), ...deepFolders(path)]))];
}

/** Every file of the workspace that people write, relative to its root. */
export function ownFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    if (!entry.isDirectory()) return [entry.name];
    return ownFiles(join(root, entry.name)).map((path) => `${entry.name}/${path}`);
  });
}

function emptyNames(path: string): string[] {
  const parts = path.split('/');
  return parts.flatMap((part, depth) => {
    const stem = part.split('.')[0] ?? '';
    if (!EMPTY_WORDS.test(stem)) return [];
    return [
      `${parts.slice(0, depth + 1).join('/')}: '${stem}' says nothing about the job; name it in the field's words`,
    ];
  });
}

function deepFolders(path: string): string[] {
  const inside = /^packages\/[^/]+\/src\/(.+)\/[^/]+$/.exec(path)?.[1];
  if (inside === undefined || inside.split('/').length <= MAX_DEPTH) return [];
  return [`${path}: more than ${MAX_DEPTH} folders under src`];
}
