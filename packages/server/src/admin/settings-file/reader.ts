import { isObject } from '../../core/json.ts';
import { fillPlaceholders } from '../../core/placeholder.ts';

/** What is wrong at one place of a settings file. */
export interface PlaceError {
  /** `destinations.0.webhooks.1.url`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** Where it is known without the path. */
  readonly line?: number;
}

/** Values that stand for `${NAME}` in the file's texts. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads values out of a parsed file and notes what is wrong, all of it. In every text `${NAME}` stands for a variable and
 * `$${` for `${`.
 */
export class SettingsReader {
  readonly errors: PlaceError[] = [];
  /** Paths of the texts that came from variables: they are never shown. */
  readonly masked: Set<string> = new Set<string>();
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  refuse(path: string, message: string): undefined {
    this.errors.push({ path, message });
    return undefined;
  }

  /** The fields of an object, each of them known; undefined when it is none. */
  fields<K extends string>(value: unknown, path: string, known: readonly K[]): Partial<Record<K, unknown>> | undefined {
    if (!isObject(value)) return this.refuse(path, 'must be a mapping');
    const unknown = Object.keys(value).filter((name) => !known.includes(name as K));
    for (const name of unknown) this.refuse(join(path, name), `is not a known field (known: ${known.join(', ')})`);
    return value as Partial<Record<K, unknown>>;
  }

  /** Undefined when it is left out, too. */
  list<T>(value: unknown, path: string, item: (value: unknown, path: string) => T | undefined): T[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.refuse(path, 'must be a list');
    return value.map((each, place) => item(each, `${path}.${place}`)).filter((each) => each !== undefined);
  }

  text(value: unknown, path: string): string | undefined {
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.refuse(path, 'must be a text (put it in quotes)');
    return fillPlaceholders(value, (name) => {
      const substitute = this.#variables[name];
      if (!substitute) this.refuse(path, `there is no variable ${name}`);
      this.masked.add(path);
      return substitute ?? '';
    });
  }

  /** A value of any shape, with what its texts stand for. */
  anything(value: unknown, path: string): unknown {
    if (typeof value === 'string') return this.text(value, path);
    if (Array.isArray(value)) return value.map((each, place) => this.anything(each, `${path}.${place}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.anything(each, join(path, name))]),
    );
  }

  flag(value: unknown, path: string): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(path, 'must be true or false');
  }

  number(value: unknown, path: string): number | undefined {
    if (value === undefined || typeof value === 'number') return value;
    return this.refuse(path, 'must be a number');
  }

  oneOf<T extends string>(value: unknown, path: string, choices: readonly T[]): T | undefined {
    if (value === undefined) return undefined;
    const choice = choices.find((each) => each === value);
    return choice ?? this.refuse(path, `must be one of ${choices.join(', ')}`);
  }

  /** A mapping of texts to texts. */
  texts(value: unknown, path: string): Record<string, string> | undefined {
    if (value === undefined) return undefined;
    if (!isObject(value)) return this.refuse(path, 'must be a mapping');
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.text(each, join(path, name)) ?? '']),
    );
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
