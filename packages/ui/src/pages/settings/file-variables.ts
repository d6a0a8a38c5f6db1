/** The names in `${NAME}` in a settings file, in order, without repetitions. `$${` is an escaped `${`. */
export function variablesOf(yaml: string): string[] {
  const found = [...yaml.matchAll(/\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)];
  return [...new Set(found.flatMap(([, name]) => (name === undefined ? [] : [name])))];
}
