import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlOf } from '../../packages/ui/src/pages/messages/curl.ts';

/** What a shell makes of the command: each argument on its own, with curl replaced by a printer. */
function argumentsOf(command: string): string[] {
  const print = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
  return execFileSync('sh', ['-c', print], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const HOSTILE = `it's "quoted" $(touch x) \`id\` \\n ! * {a,b} é 😀 ;&|<>`;

test('no control character is in a command, and all of them are in what it sends', () => {
  const controls = `a\u007f\u007fb\t\u001b[2Jc\u0085\u009b\r'd\u007f`;
  const command = curlOf({ url: 'https://hooks.example.com/', headers: { 'X-Note': controls } }, controls);
  expect(command.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  const sent = argumentsOf(command);
  expect(sent).toContain(`X-Note: ${controls}`);
  expect(sent.at(-1)).toBe(controls);
});

test('a shell hands curl exactly the URL, the headers and the body', () => {
  const url = `https://hooks.example.com/a?b=[1]&c='$HOME'`;
  const body = JSON.stringify({ event: HOSTILE, at: '@file' });
  const command = curlOf(
    { url, headers: { 'Content-Type': 'application/json', 'X-Note': HOSTILE, 'X-Empty': '' } },
    body,
  );
  expect(argumentsOf(command)).toEqual([
    ...['-sS', '--globoff', '-X', 'POST', url],
    ...['-H', 'Content-Type: application/json', '-H', `X-Note: ${HOSTILE}`, '-H', 'X-Empty;'],
    ...['--data-binary', body],
  ]);
});
