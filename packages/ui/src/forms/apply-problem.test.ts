import { expect, test } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import { applyProblem } from './apply-problem.ts';

function formOf(values: unknown) {
  const form = {
    errors: {},
    getValues: () => values,
    setErrors(errors: object) {
      form.errors = errors;
    },
  };
  return form;
}

function refusal(...errors: { path: string; message: string }[]): ApiProblem {
  return new ApiProblem({ code: 'invalid_input', status: 400, detail: 'The input is not valid.', errors });
}

test('messages stand at their fields, in lists too', () => {
  const form = formOf({ name: '', settings: { webhooks: [{ url: '' }] } });
  const problem = refusal(
    { path: 'name', message: 'is empty' },
    { path: 'settings.webhooks.0.url', message: 'is no URL' },
  );
  expect(applyProblem(form, problem)).toBeNull();
  expect(form.errors).toEqual({ name: 'Is empty', 'settings.webhooks.0.url': 'Is no URL' });
});

test('a header that the form has in a row is found by its name', () => {
  const form = formOf({ webhooks: [{ headers: [{ name: 'X-A' }, { name: ' X.B ' }] }] });
  expect(applyProblem(form, refusal({ path: 'webhooks.0.headers.X.B', message: 'no' }))).toBeNull();
  expect(form.errors).toEqual({ 'webhooks.0.headers.1.name': 'No' });
});

test('a text and a list of texts are one field: an error of a part stands at the field', () => {
  const form = formOf({ origins: 'a\nb', consent: ['ads'], policy: { statuses: ['1', '2'] }, rows: [{ path: '' }] });
  const paths = ['origins.1', 'consent.0', 'policy.statuses.1', 'rows.0.path'];
  expect(applyProblem(form, refusal(...paths.map((path) => ({ path, message: path }))))).toBeNull();
  expect(Object.keys(form.errors)).toEqual(['origins', 'consent', 'policy.statuses', 'rows.0.path']);
  expect(applyProblem(form, refusal({ path: 'rows.1.path', message: 'is empty' }))).not.toBeNull();
});

test('what belongs to no field is left to be shown', () => {
  const form = formOf({ name: '' });
  const problem = refusal({ path: '', message: 'too large' }, { path: 'name', message: 'is empty' });
  expect(applyProblem(form, problem)).toBe(problem);
  expect(form.errors).toEqual({ name: 'Is empty' });
  const other = new Error('network');
  expect(applyProblem(form, other)).toBe(other);
});
