import { VERSION } from './admin/version.ts';
import { EXIT } from './cli/io.ts';
import { run } from './cli/program.ts';

// The reader of the output may disconnect (`millrace export | head`). That does not end a service. Commands that only print
// notice it through `out` and end. Any other error (a full disk) loses the requested output, so the process fails,
// unless it is a service.
let outMayFail = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`millrace: standard output can't be written: ${error.message}\n`);
  if (!outMayFail) process.exit(EXIT.failed);
});
// If standard error fails, there is no place to report it.
process.stderr.on('error', () => undefined);

// Files contain personal data and secrets: only the user who runs this process may read them.
process.umask(0o077);

process.exitCode = await run({
  version: VERSION,
  argv: process.argv.slice(2),
  env: process.env,
  // A getter: opening standard input can keep a process alive, so only commands that read it do so.
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
  outMayFail() {
    outMayFail = true;
  },
  onExit(handler) {
    process.on('exit', handler);
  },
  exit: (code) => process.exit(code),
});
