import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { need, type Tool } from './needs.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly body: string;
  readonly x_signature: string;
}

const vectors: readonly Vector[] = JSON.parse(read('fixtures/signature-vectors.json'));
const page = read('../docs/signing.md');
const [ofSegment = '', ofStandard = ''] = page.split('## Standard Webhooks');

/** The examples of a part of the page, by language. */
function blocksIn(part: string): ReadonlyMap<string, string> {
  const found = [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  return new Map(found.map(([, language = '', code = '']) => [language, code]));
}

const blocks = blocksIn(ofSegment);
const standardBlocks = blocksIn(ofStandard);

/** A request to judge; `signature` is null where the header is absent. */
interface Case {
  readonly what: string;
  readonly secret: string;
  readonly body: string;
  readonly signature: string | null;
  /** Those that Standard Webhooks signs too: `webhook-id` and `webhook-timestamp`; null where the header is absent. */
  readonly more?: readonly (string | null)[];
  readonly authentic: boolean;
}

const cases: readonly Case[] = vectors.flatMap(({ name, secret, body, x_signature: right }) => {
  const say = (what: string, change: Partial<Case>): Case => ({
    what: `${name}: ${what}`,
    ...{ secret, body, signature: right, authentic: false },
    ...change,
  });
  return [
    say('as sent', { authentic: true }),
    say('another body', { body: `${body} ` }),
    say('another secret', { secret: `${secret}x` }),
    say('one digit changed', { signature: `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}` }),
    say('upper case', { signature: right.toUpperCase() }),
    say('cut short', { signature: right.slice(0, 20) }),
    say('longer', { signature: `${right}00` }),
    say('empty', { signature: '' }),
    say('absent', { signature: null }),
    say('not ASCII', { signature: 'é'.repeat(20) }),
  ];
});

const MINUTE = 60_000;

const standardCases: readonly Case[] = vectors.flatMap(({ name, body }, place) => {
  const secret = `whsec_${Buffer.from(`${place}`.padStart(32, 's')).toString('base64')}`;
  const now = new Date();
  const signed = (at: Date, by = secret): string => new Webhook(by).sign(`msg_${place}`, at, body);
  const more = (at: Date): string[] => [`msg_${place}`, String(Math.floor(at.getTime() / 1000))];
  const say = (what: string, change: Partial<Case>): Case => ({
    what: `${name}: ${what}`,
    ...{ secret, body, signature: signed(now), more: more(now), authentic: false },
    ...change,
  });
  const [old, ahead] = [new Date(now.getTime() - 10 * MINUTE), new Date(now.getTime() + 10 * MINUTE)];
  const other = `whsec_${Buffer.from('o'.repeat(32)).toString('base64')}`;
  return [
    say('as sent', { authentic: true }),
    say('beside that of another secret', { signature: `${signed(now, other)} ${signed(now)}`, authentic: true }),
    say('another body', { body: `${body} ` }),
    say('another secret', { signature: signed(now, other) }),
    say('another id', { more: ['msg_x', ...more(now).slice(1)] }),
    say('another time', { more: more(new Date(now.getTime() - MINUTE)) }),
    say('too old', { signature: signed(old), more: more(old) }),
    say('of the future', { signature: signed(ahead), more: more(ahead) }),
    say('no time', { more: [`msg_${place}`, ''] }),
    say('a time of 400 digits', { more: [`msg_${place}`, '9'.repeat(400)] }),
    say('a time of 5,000 digits', { more: [`msg_${place}`, '9'.repeat(5_000)] }),
    say('an absent time', { more: [`msg_${place}`, null] }),
    say('no header at all', { signature: null, more: [null, null] }),
    say('cut short', { signature: signed(now).slice(0, 20) }),
    say('another version', { signature: signed(now).replace('v1,', 'v2,') }),
    say('empty', { signature: '' }),
    say('absent', { signature: null }),
  ];
});

/** Around each example: a program that judges the cases, one a line in hex, `-` for an absent header. */
interface Program {
  readonly tool: Tool | null;
  /** What follows the signature in a call of Standard Webhooks. */
  readonly more: string;
  readonly files: (example: string) => Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
}

/** Where a program passes on what Standard Webhooks has more. */
const MORE = '/*more*/';

const PROGRAMS: Readonly<Record<string, Program>> = {
  js: {
    tool: null,
    more: ', ...more.map((each) => (each === "-" ? undefined : bytes(each).toString()))',
    files: (example) => ({
      'example.mjs': example,
      'main.mjs': `import { readFileSync } from 'node:fs';
import { isAuthentic } from './example.mjs';
const bytes = (hex) => Buffer.from(hex, 'hex');
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [secret, body, signature, ...more] = line.split(' ');
  const header = signature === '-' ? undefined : bytes(signature).toString();
  console.log(isAuthentic(bytes(secret).toString(), bytes(body), header${MORE}));
}`,
    }),
    command: [process.execPath, 'main.mjs'],
  },
  python: {
    tool: 'python3',
    more: ', *(None if each == "-" else bytes.fromhex(each).decode() for each in more)',
    files: (example) => ({
      'example.py': example,
      'main.py': `import sys
from example import is_authentic
for line in sys.stdin:
    secret, body, signature, *more = line.rstrip("\\n").split(" ")
    header = None if signature == "-" else bytes.fromhex(signature).decode()
    print("true" if is_authentic(bytes.fromhex(secret).decode(), bytes.fromhex(body), header${MORE}) else "false")`,
    }),
    command: ['python3', 'main.py'],
  },
  go: {
    tool: 'go',
    more: ', text(part[3]), text(part[4])',
    files: (example) => ({
      'go.mod': 'module example\n\ngo 1.19\n',
      'webhook/webhook.go': example,
      'main.go': `package main

import (
	"bufio"
	"encoding/hex"
	"example/webhook"
	"fmt"
	"os"
	"strings"
)

func bytes(text string) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return decoded
}

func text(part string) string {
	if part == "-" {
		return ""
	}
	return string(bytes(part))
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		part := strings.Split(lines.Text(), " ")
		fmt.Println(webhook.IsAuthentic(string(bytes(part[0])), bytes(part[1]), text(part[2])${MORE}))
	}
}`,
    }),
    command: ['go', 'run', '.'],
  },
  ruby: {
    tool: 'ruby',
    more: ', *more.map { |each| each == "-" ? nil : [each].pack("H*") }',
    files: (example) => ({
      'example.rb': example,
      'main.rb': `require_relative "example"
STDIN.each_line(chomp: true) do |line|
  secret, body, signature, *more = line.split(/ /, -1)
  header = signature == "-" ? nil : [signature].pack("H*")
  puts authentic?([secret].pack("H*"), [body].pack("H*"), header${MORE})
end`,
    }),
    command: ['ruby', 'main.rb'],
  },
  php: {
    tool: 'php',
    more: ', ...array_map(fn ($each) => $each === "-" ? null : hex2bin($each), $more)',
    files: (example) => ({
      'example.php': example,
      'main.php': `<?php
require 'example.php';
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    $more = explode(' ', $line);
    [$secret, $body, $signature] = array_splice($more, 0, 3);
    $header = $signature === '-' ? null : hex2bin($signature);
    echo is_authentic(hex2bin($secret), hex2bin($body), $header${MORE}) ? 'true' : 'false', "\\n";
}`,
    }),
    command: ['php', 'main.php'],
  },
};

const hex = (text: string | null): string => (text === null ? '-' : Buffer.from(text).toString('hex'));

/** What the program says about each case. */
function judge({ files, more, command: [program, ...args] }: Program, example: string, all: readonly Case[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-signing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files(example))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.replace(MORE, all.some((one) => one.more) ? more : ''));
  }
  const lines = all.map(({ secret, body, signature, more: others = [] }) => {
    return [hex(secret), hex(body), hex(signature), ...others.map(hex)].join(' ');
  });
  const output = execFileSync(program, args, { cwd: folder, input: `${lines.join('\n')}\n`, encoding: 'utf8' });
  return output.trim().split('\n');
}

test('docs/signing.md has an example for each language, and no other code', () => {
  expect([...blocks.keys()].toSorted()).toEqual([...Object.keys(PROGRAMS), 'sh'].toSorted());
  expect([...standardBlocks.keys()].toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
});

for (const [language, program] of Object.entries(PROGRAMS)) {
  const there = program.tool === null || (await need(program.tool));
  test.skipIf(!there).each([
    ['X-Signature', blocks, cases],
    ['Standard Webhooks', standardBlocks, standardCases],
  ] as const)(
    `the ${language} example of %s judges every vector, and what was tampered with`,
    (_, examples, all) => {
      const judged = judge(program, examples.get(language) ?? '', all);
      const wrong = all.filter(({ authentic }, index) => judged[index] !== String(authentic));
      expect(wrong.map(({ what }) => what)).toEqual([]);
      expect(judged).toHaveLength(all.length);
      // Go compiles its standard library the first time.
    },
    120_000,
  );
}

const openssl = await need('openssl');
test.skipIf(!openssl)('the command prints what the page says', () => {
  const code = blocks.get('sh') ?? '';
  const output = execFileSync('sh', ['-c', code], { encoding: 'utf8' }).trim();
  expect(page).toContain(`    ${output}\n`);
  const known = vectors.find(({ body, secret }) => code.includes(`'${body}'`) && code.includes(`'${secret}'`));
  expect(output.split(' ')[0]).toBe(known?.x_signature);
});
