import type { TracedRequest } from '../../../../server/src/admin/contract.ts';
import { quoted } from '../../format/shell.ts';

/** The request as a command for a POSIX shell, to the byte: nothing in it is read by the shell or by curl. */
export function curlOf({ url, headers }: Pick<TracedRequest, 'url' | 'headers'>, body: string): string {
  // An empty value by a colon would take the header away; a semicolon sends it empty.
  const lines = Object.entries(headers).map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`));
  return [
    // --globoff: brackets and braces of a URL are themselves.
    `curl -sS --globoff -X POST ${quoted(url)}`,
    ...lines.map((line) => `-H ${quoted(line)}`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}
