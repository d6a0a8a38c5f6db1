/** The names in `${NAME}` in a settings file, in order, without repetitions. `$${` is an escaped `${`. Lines that are a comment, as an export has some, name none. */
export function variablesOf(yaml: string): string[] {
  const found = [...yaml.matchAll(/^\s*#.*|\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gm)];
  return [...new Set(found.flatMap(([, name]) => (name === undefined ? [] : [name])))];
}
