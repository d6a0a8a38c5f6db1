import type { TracedRequest } from '../../../../server/src/admin/contract.ts';
import { quoted } from '../../format/shell.ts';

/** The request as a command for a POSIX shell, exact to the byte: neither the shell nor curl interprets any of its text. */
export function curlOf({ url, headers }: Pick<TracedRequest, 'url' | 'headers'>, body: string): string {
  // In curl, `name:` removes a header; `name;` sends it with an empty value.
  const lines = Object.entries(headers).map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  return [
    // --globoff: curl takes brackets and braces in the URL as plain text.
    `curl -sS --globoff -X POST ${quoted(url)}`,
    ...lines.map((line) => `-H ${quoted(line)}`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}
