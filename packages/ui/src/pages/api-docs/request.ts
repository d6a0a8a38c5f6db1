import type { Tone } from '../../components/status-badge.tsx';
import { parsed } from '../../format/parsed.ts';
import { quoted } from '../../format/shell.ts';
import type { Operation } from './openapi.ts';

/** The values that a person has typed for an operation. */
export interface Draft {
  /** By `path.id`, `query.limit`. Empty values are left out of the query. */
  readonly values: Readonly<Record<string, string>>;
  /** JSON text. Ignored if the operation takes no body. */
  readonly body: string;
}

/** Names of the required parameters that are still empty. */
export function missingOf({ parameters }: Operation, { values }: Draft): string[] {
  return parameters
    .filter(({ name, in: place, required }) => required && !values[`${place}.${name}`])
    .map(({ name }) => name);
}

/** The path with its parameters and query. An empty path parameter stays as `{name}`. */
export function addressOf({ path, parameters }: Operation, { values }: Draft): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[`path.${name}`];
    return value ? encodeURIComponent(value) : whole;
  });
  const query = parameters.flatMap(({ name, in: place }) => {
    const value = values[`query.${name}`];
    return place === 'query' && value ? [[name, value]] : [];
  });
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
}

/** The same request as a shell command. Secrets appear as names of variables, never as values. */
export function curlOf(operation: Operation, draft: Draft, origin: string): string {
  const { method, security, body } = operation;
  const verb = method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `;
  const parts = [`curl ${verb}${quoted(origin + addressOf(operation, draft))}`];
  if (security.includes('token')) parts.push('-H "Authorization: Bearer $MILLRACE_ADMIN_TOKEN"');
  if (security.includes('writeKey')) parts.push('-u "$WRITE_KEY:"');
  if (body) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(compact(draft.body))}`);
  return parts.join(' \\\n  ');
}

/** Text that is not JSON yet is kept as it was typed. */
function compact(json: string): string {
  return JSON.stringify(parsed(json)) ?? json;
}

export function toneOfStatus(status: number): Tone {
  if (status < 300) return 'good';
  return status < 500 ? 'warn' : 'bad';
}
