import { run } from './cli/program.ts';

process.exitCode = await run({
  argv: process.argv.slice(2),
  env: process.env,
  out: process.stdout,
  err: process.stderr,
  onSignal(signal, handler) {
    process.on(signal, handler);
    return () => process.off(signal, handler);
  },
  exit: (code) => process.exit(code),
});
