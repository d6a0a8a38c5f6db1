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
  const placed = error.errors.map(({ path, message }) => ({ field: fields[path] ?? path, message }));
  const known = placed.filter(({ field }) => hasField(values, field) || whole.some((name) => isWithin(field, name)));
  form.setErrors(Object.fromEntries(known.map(({ field, message }) => [field, message])));
  return known.length === placed.length ? null : error;
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

function hasField(values: unknown, path: string): boolean {
  if (path === '') return false;
  let at: unknown = values;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(name in at)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}
