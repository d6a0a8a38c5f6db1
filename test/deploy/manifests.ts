import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../../checks/tool.ts';

/** A value of a YAML document; a path that leads nowhere answers undefined. */
export type Yaml = Readonly<Record<string, unknown>>;

export const DEPLOY: string = join(ROOT, 'deploy');

/** One instruction of the Dockerfile, its lines joined: `{ name: 'COPY', text: '. .' }`. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** What the Dockerfile says, without comments; each `FROM` begins another stage. */
export function readDockerfile(): readonly Instruction[] {
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name = '', text = '']) => ({ name, text }));
}

/** The compose files, by name, with what they take from the environment left out. */
export function readComposeFiles(): ReadonlyMap<string, Yaml> {
  const files = readdirSync(DEPLOY).filter((name) => /^compose.*\.yaml$/.test(name));
  return new Map(files.map((name) => [name, parse(withoutVariables(read(name)), { merge: true }) as Yaml]));
}

/** Every object that is made in Kubernetes, by the file it is in; kustomizations and values of charts are none. */
export function readKubernetesObjects(): readonly { readonly file: string; readonly object: Yaml }[] {
  const files = readdirSync(join(DEPLOY, 'kubernetes'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml') && !/(kustomization|values)\.yaml$/.test(file))
    .flatMap((file) =>
      parseAllDocuments(read(`kubernetes/${file}`)).map((document) => ({ file, object: document.toJS() as Yaml })),
    );
}

/** The text of a file in deploy/. */
export function read(file: string): string {
  return readFileSync(join(DEPLOY, file), 'utf8');
}

/** What lies at the end of a path of keys. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
}

/** `${NAME:-default}` becomes its default, `${NAME:?why}` the name. */
function withoutVariables(text: string): string {
  return text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll(/\$\{(\w+):\?[^}]*\}/g, '$1');
}
