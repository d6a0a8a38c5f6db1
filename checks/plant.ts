import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './tool.ts';

const RULES = ['biome.json', '.gitignore', '.oxlintrc.json', 'tsconfig.json'];

/** An empty workspace under the rules of the real one, where files can be planted for the tools to refuse. */
export class Field implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), 'millrace-field-'));

  constructor() {
    for (const file of RULES) cpSync(join(ROOT, file), join(this.root, file));
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'));
  }

  plant(path: string, text: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
