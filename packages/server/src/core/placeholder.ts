/** In a text, `${NAME}` stands for a value from elsewhere, and `$${` for `${` itself. */
const PLACEHOLDER = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of all placeholders in the text. */
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

/** The text written so that `fillPlaceholders` gives it back unchanged. */
export function literal(text: string): string {
  return text.replaceAll('${', () => '$${');
}
