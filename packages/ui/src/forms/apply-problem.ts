import { ApiProblem } from '../api/problem.ts';

/**
 * Puts a refusal's messages at the fields that they are about, by their paths.
 *
 * @param fields what the API calls a field, by its path in the form, where the two differ.
 * @param whole fields that tell what is wrong at any place within them, also at one that is not there.
 * @returns what belongs to no field of the form, to be shown above its buttons; null when every message found its field.
 */
export function applyProblem(
  form: Form,
  error: unknown,
  fields: Readonly<Record<string, string>> = {},
  whole: readonly string[] = [],
): unknown {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return error;
  const values = form.getValues();
  const known = error.errors.flatMap(({ path, message }) => {
    const isWhole = whole.some((name) => isWithin(path, name));
    const field = isWhole ? path : fieldAt(values, fields[path] ?? path);
    return field === null ? [] : [[field, message] as const];
  });
  form.setErrors(Object.fromEntries(known));
  return known.length === error.errors.length ? null : error;
}

/** Is a path that of the field, or of a place within it. */
export function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

/** What of a form of @mantine/form this needs. */
interface Form {
  getValues(): unknown;
  setErrors(errors: Record<string, string>): void;
}

/** The field that tells what is wrong at a path; null where the form has none. A text, and a list of texts, is one field. */
function fieldAt(values: unknown, path: string): string | null {
  const names = path.split('.');
  let at: unknown = values;
  for (const [i, name] of names.entries()) {
    const isTexts = typeof at === 'string' || (Array.isArray(at) && typeof at[Number(name)] === 'string');
    if (isTexts) return names.slice(0, i).join('.');
    if (typeof at !== 'object' || at === null || !(name in at)) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return path;
}
