import { ApiProblem } from '../api/problem.ts';

/**
 * Puts the messages of a refusal at the fields that they concern, by path.
 *
 * @param whole fields that show the errors of all paths below them, also of paths that do not exist.
 * @returns the messages that belong to no field, to show above the form's buttons; null if every message found its field.
 */
export function applyProblem(form: Form, error: unknown, whole: readonly string[] = []): unknown {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return error;
  const values = form.getValues();
  const known = error.errors.flatMap(({ path, message }) => {
    const isWhole = whole.some((name) => isWithin(path, name));
    const field = isWhole ? path : fieldAt(values, path);
    return field === null ? [] : [[field, message] as const];
  });
  form.setErrors(Object.fromEntries(known));
  return known.length === error.errors.length ? null : error;
}

/** Whether a path is the field's path, or lies below it. */
export function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

/** The part of a @mantine/form form that this file uses. */
interface Form {
  getValues(): unknown;
  setErrors(errors: Record<string, string>): void;
}

/**
 * The field that shows errors at a path; null if the form has none. A text or a list of texts is one field. The API names a
 * header by its name, the form by its row.
 */
export function fieldAt(values: unknown, path: string): string | null {
  const names = path.split('.');
  let at: unknown = values;
  for (const [i, name] of names.entries()) {
    const isTexts = typeof at === 'string' || (Array.isArray(at) && typeof at[Number(name)] === 'string');
    if (isTexts) return names.slice(0, i).join('.');
    const row = Array.isArray(at) ? at.findIndex((each) => each.name?.trim() === names.slice(i).join('.')) : -1;
    if (row !== -1) return [...names.slice(0, i), row, 'name'].join('.');
    if (typeof at !== 'object' || at === null || !(name in at)) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return path;
}
