import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
const blocks = new Map(
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => [language, code]),
);

/** A request to judge; `signature` is null where the header is absent. */
interface Case {
  readonly what: string;
  readonly secret: string;
  readonly body: string;
  readonly signature: string | null;
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

/** Around each example: a program that judges the cases, one a line in hex, `-` for an absent header. */
interface Program {
  readonly tool: Tool | null;
  readonly files: (example: string) => Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  js: {
    tool: null,
    files: (example) => ({
      'example.mjs': example,
      'main.mjs': `import { readFileSync } from 'node:fs';
import { isAuthentic } from './example.mjs';
const bytes = (hex) => Buffer.from(hex, 'hex');
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [secret, body, signature] = line.split(' ');
  const header = signature === '-' ? undefined : bytes(signature).toString();
  console.log(isAuthentic(bytes(secret).toString(), bytes(body), header));
}`,
    }),
    command: [process.execPath, 'main.mjs'],
  },
  python: {
    tool: 'python3',
    files: (example) => ({
      'example.py': example,
      'main.py': `import sys
from example import is_authentic
for line in sys.stdin:
    secret, body, signature = line.rstrip("\\n").split(" ")
    header = None if signature == "-" else bytes.fromhex(signature).decode()
    print("true" if is_authentic(bytes.fromhex(secret).decode(), bytes.fromhex(body), header) else "false")`,
    }),
    command: ['python3', 'main.py'],
  },
  go: {
    tool: 'go',
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

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		part := strings.Split(lines.Text(), " ")
		header := ""
		if part[2] != "-" {
			header = string(bytes(part[2]))
		}
		fmt.Println(webhook.IsAuthentic(string(bytes(part[0])), bytes(part[1]), header))
	}
}`,
    }),
    command: ['go', 'run', '.'],
  },
  ruby: {
    tool: 'ruby',
    files: (example) => ({
      'example.rb': example,
      'main.rb': `require_relative "example"
STDIN.each_line(chomp: true) do |line|
  secret, body, signature = line.split(" ", -1)
  header = signature == "-" ? nil : [signature].pack("H*")
  puts authentic?([secret].pack("H*"), [body].pack("H*"), header)
end`,
    }),
    command: ['ruby', 'main.rb'],
  },
  php: {
    tool: 'php',
    files: (example) => ({
      'example.php': example,
      'main.php': `<?php
require 'example.php';
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$secret, $body, $signature] = explode(' ', $line);
    $header = $signature === '-' ? null : hex2bin($signature);
    echo is_authentic(hex2bin($secret), hex2bin($body), $header) ? 'true' : 'false', "\\n";
}`,
    }),
    command: ['php', 'main.php'],
  },
};

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** What the program says about each case. */
function judge({ files, command: [program, ...args] }: Program, example: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-signing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files(example))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const lines = cases.map(({ secret, body, signature }) => {
    return [hex(secret), hex(body), signature === null ? '-' : hex(signature)].join(' ');
  });
  const output = execFileSync(program, args, { cwd: folder, input: `${lines.join('\n')}\n`, encoding: 'utf8' });
  return output.trim().split('\n');
}

test('docs/signing.md has an example for each language, and no other code', () => {
  expect([...blocks.keys()].toSorted()).toEqual([...Object.keys(PROGRAMS), 'sh'].toSorted());
});

for (const [language, program] of Object.entries(PROGRAMS)) {
  const there = program.tool === null || (await need(program.tool));
  test.skipIf(!there)(
    `the ${language} example judges every vector, and what was tampered with`,
    () => {
      const judged = judge(program, blocks.get(language) ?? '');
      const wrong = cases.filter(({ authentic }, index) => judged[index] !== String(authentic));
      expect(wrong.map(({ what }) => what)).toEqual([]);
      expect(judged).toHaveLength(cases.length);
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
