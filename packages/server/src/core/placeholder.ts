/** `${NAME}` in a text stands for a value from elsewhere; `$${` stands for `${`. */
const PLACEHOLDER = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names that stand in a text. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? []);
}

/** The text with each placeholder replaced by what `fill` answers. */
export function fillPlaceholders(text: string, fill: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (all: string, name: string | undefined) => {
    if (name !== undefined) return fill(name);
    return all === '$${' ? '${' : all;
  });
}

/** A text that reads back as it is. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}
