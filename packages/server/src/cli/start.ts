import { startApp } from '../app.ts';
import { type Config, describeConfig, strayVariables } from '../config.ts';
import { createLogger } from '../observe/logger.ts';
import { EXIT, type Io } from './io.ts';

/** A second signal this soon is the same key press, delivered once more by npm or the terminal. */
const SAME_PRESS_MS = 1_000;

/** `millrace start`: runs the service until a signal, then drains. */
export async function start(config: Config, io: Io): Promise<number> {
  const logger = createLogger({ level: config.logLevel });
  for (const line of strayVariables(io.env)) logger.warn(line);
  const app = await startApp(config, logger).catch((error: unknown) => {
    io.err.write(`millrace: ${explain(error, config)}\n`);
    return null;
  });
  if (!app) return EXIT.failed;
  logger.info({ config: describeConfig(config) }, 'started');
  io.out.write(`Millrace is listening on ${app.url}\n`);
  if (app.adminToken.isNew) io.out.write(firstSteps(app.url, app.adminToken.value, config));
  await firstSignal(io);
  logger.info('stopping: finishing what is under way');
  await app.stop();
  return EXIT.ok;
}

/** Resolves at the first signal; from then on, one that comes a second or more later ends the process. */
export function firstSignal(io: Io): Promise<void> {
  let first = 0;
  return new Promise((resolve) => {
    const handle = (): void => {
      const now = Date.now();
      if (first === 0) first = now;
      else if (now - first >= SAME_PRESS_MS) io.exit(EXIT.failed);
      resolve();
    };
    io.onSignal('SIGINT', handle);
    io.onSignal('SIGTERM', handle);
  });
}

function explain(error: unknown, config: Config): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return `port ${config.port} on ${config.host} is taken. Set MILLRACE_PORT (or --port) to another one; 0 picks a free one.`;
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    return `cannot listen on ${config.host}:${config.port} (${message}). Check MILLRACE_HOST and MILLRACE_PORT.`;
  }
  return `cannot start: ${message}`;
}

/** What a new user needs next; the token is printed this once. */
function firstSteps(url: string, token: string, config: Config): string {
  return `
Admin token (printed this once, kept in ${config.dataDir}/admin-token):
  ${token}

Try it, in another terminal:
  export MILLRACE_ADMIN_TOKEN=${token}
  npx millrace listen --create --url ${url}   a receiver that prints and verifies what arrives
  npx millrace send --url ${url}              one call, as an application would send it

`;
}
