#!/usr/bin/env -S node --max-semi-space-size=16
// Plain JavaScript that every Node since 18 can read, so that an old one is told what to do instead of failing on syntax.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Millrace needs Node.js ${NEEDED} or newer; this is ${process.versions.node} (${process.execPath}).
It keeps its data with Node's own SQLite, which older versions do not have.
Run it through npm (npm start, npx millrace), which brings Node ${NEEDED} along on Linux, or install Node.js ${NEEDED}: https://nodejs.org
`,
  );
  process.exitCode = 1;
} else {
  // Saves each start, and each thread, the compiling of what was compiled before.
  const cache = compileCache();
  if (cache !== null && process.env.NODE_COMPILE_CACHE === undefined) {
    module.enableCompileCache(cache);
    // Threads look there.
    process.env.NODE_COMPILE_CACHE = cache;
  }
  // Name look-ups take half of libuv's threads at most: deliver/look-up.ts has as many places.
  process.env.UV_THREADPOOL_SIZE ??= '8';
  const main = new URL('../dist/js/main.js', import.meta.url);
  if (existsSync(main)) await import(main.href);
  else {
    process.stderr.write(
      `Millrace is not built yet: ${fileURLToPath(main)} is missing. npm start, npm run demo and npm run build make it.\n`,
    );
    process.exitCode = 1;
  }
}

/**
 * A folder of this user's for compiled code, which is run as it is found: so no other user may write into it. Null where there
 * can be none.
 */
function compileCache() {
  const user = process.getuid?.();
  try {
    const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
    return found.isDirectory() && isOwn ? folder : null;
  } catch {
    // There is no home, or it can't be written: it starts without.
    return null;
  }
}
