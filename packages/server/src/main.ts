import { VERSION } from './admin/version.ts';
import { EXIT } from './cli/io.ts';
import { run } from './cli/program.ts';

// The reader of what is printed may go away (`millrace export | head`). That ends no service; the commands that only
// print hear of it through `out` and end. Where it can't be written (a full disk), what was asked for is lost.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`millrace: standard output can't be written: ${error.message}\n`);
  process.exit(EXIT.failed);
});
// What can't be said there can't be said at all.
process.stderr.on('error', () => undefined);

// What is written holds data of persons and secrets: it is for the user alone that runs this.
process.umask(0o077);

process.exitCode = await run({
  version: VERSION,
  argv: process.argv.slice(2),
  env: process.env,
  // Asked for only by what reads it: taking hold of standard input can keep a process waiting.
  get in() {
    return process.stdin;
  },
  out: process.stdout,
  err: process.stderr,
  uid: process.getuid?.(),
  onSignal(signal, handler) {
    process.on(signal, handler);
    return () => process.off(signal, handler);
  },
  onExit(handler) {
    process.on('exit', handler);
  },
  exit: (code) => process.exit(code),
});
