import { Command, Option } from 'commander';
import type { App } from '../app.ts';
import { type Config, describeConfig, parseConfig, SETTINGS, type Setting, strayVariables } from '../config.ts';
import { aborted, within } from '../core/pause.ts';
import { LogOutput } from '../observe/log-output.ts';
import { createLogger, type Logger } from '../observe/logger.ts';
import { CLIENT_VARIABLES } from './connection.ts';
import { secureFolder } from './data-folder.ts';
import { signalOf } from './ending.ts';
import { firstSteps, signInHint, tokenHint } from './first-steps.ts';
import { EXIT, type ExitCode, type Io } from './io.ts';

/** `millrace start`: runs the service until a signal, then drains. */
export function startCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('start').description('run the service').addHelpText(
    'after',
    `
Each setting is a flag and an environment variable; the flag goes first. Durations read 500ms, 5s, 10m, 4h, 7d.
--accept-loss goes on without files of the data folder that are missing, once, and writes off what was in them.
When ready, it prints one line with "listening on http://HOST:PORT" to standard output. Logs go to standard error.
SIGTERM, SIGINT (Ctrl-C) and SIGHUP finish what is under way and end with 0, or with 1 and the reason where something could not be
written in time; another one a second later ends at once, with 1.

Examples:
  $ millrace start
  $ millrace start --port 3000 --data-dir /var/lib/millrace
  $ MILLRACE_ALLOW_PRIVATE_URLS=true millrace start     lets webhooks go to this machine, for a trial`,
  );
  for (const setting of SETTINGS) command.addOption(optionOf(setting));
  command.option('--accept-loss', 'start once with a data folder that is not whole, and write off what is missing');
  return command.action(async (flags: Record<string, unknown>) => {
    end(await start(parseConfig({ env: io.env, flags }), flags['acceptLoss'] === true, io));
  });
}

async function start(config: Config, acceptLoss: boolean, io: Io): Promise<ExitCode> {
  io.outMayFail();
  const output = new LogOutput(io);
  const logger = createLogger({ level: config.logLevel, to: output });
  const settings = Object.fromEntries(Object.entries(io.env).filter(([name]) => !CLIENT_VARIABLES.includes(name)));
  for (const line of strayVariables(settings)) logger.warn(line);
  const signalled = aborted(signalOf(io).signal);
  let isOpen = false;
  // Before the service is open, a signal ends the process at once: nothing was accepted yet.
  void signalled.then(() => isOpen || io.exit(EXIT.ok));
  const app = await open(config, acceptLoss, logger, io).catch((error: unknown) => whyNot(error, config));
  isOpen = true;
  if (typeof app === 'string') {
    output.write(`millrace: ${app}\n`);
    // A connection that was begun to what is no NATS server would keep the process.
    io.exit(EXIT.failed);
    return EXIT.failed;
  }
  logger.info({ config: describeConfig(config) }, 'started');
  // Without a terminal, logs keep the printed link. So it is printed there only if there is no other way to sign in.
  const isLookedAt = io.out.isTTY === true || (config.adminToken === null && !app.hasAccounts);
  const hint = isLookedAt ? signInHint(app.url, app.makeSignInPath()) : '';
  const management = app.managementUrl === null ? '' : `Metrics and health are on ${app.managementUrl}\n`;
  io.out.write(`Millrace is listening on ${app.url}\n${management}${hint}`);
  if (app.newToken !== null) io.out.write(firstSteps(app.url, app.newToken, config, io));
  else if (config.adminToken === null) io.out.write(tokenHint(config));
  await signalled;
  logger.info('stopping: finishing what is under way');
  const why = await stopOf(app, config.stopTimeout);
  if (why === null) return EXIT.ok;
  output.write(`millrace: ${why}\n`);
  // Something that hangs could keep the process alive.
  io.exit(EXIT.failed);
  return EXIT.failed;
}

async function open(config: Config, acceptLoss: boolean, logger: Logger, { uid }: Io): Promise<App> {
  // Windows has no file modes. A node of a cluster keeps nothing in a folder.
  if (uid !== undefined && config.databaseUrl === null) secureFolder(config.dataDir, uid, (text) => logger.warn(text));
  // Imported here: other commands must not wait for the whole service to load.
  const { startApp } = await import('../app.ts');
  return startApp(config, logger, { acceptLoss });
}

/** Null if everything was finished and written in time; else the reason. */
async function stopOf(app: App, ms: number): Promise<string | null> {
  const stopped = app.stop().then(
    () => null,
    (error: Error) => `not everything was written at the stop: ${error.message}`,
  );
  const late = (): string =>
    `the stop took longer than ${ms / 1_000} s; it waited for ${app.closing()}. What was accepted is kept`;
  return within(ms, stopped, late);
}

/** The command-line flag of a setting. */
export function optionOf({ name, env, flag, type, fallback, limits, help, secret }: Setting): Option {
  const value = type === 'boolean' ? '[true|false]' : `<${type}>`;
  const otherwise = fallback === '' ? '' : ` Default: ${fallback}.`;
  const option = new Option(`--${flag} ${value}`, `${help} ${sentence(limits)}${otherwise} (${env})`);
  // Without this, Commander would read `--no-ids` as a negation of `--ids`.
  option.negate = false;
  option.attributeName = () => name;
  if (secret) option.helpGroup('Secrets (better given by the environment: arguments can be seen by others):');
  return option;
}

/** "must be …" as a sentence of its own. */
function sentence(limits: string): string {
  return `Must be ${limits}.`;
}

function whyNot(error: unknown, config: Config): string {
  const { code, message, port, hostname, syscall } = error as NodeJS.ErrnoException & {
    port?: number;
    hostname?: string;
  };
  const isManagement =
    port === undefined ? hostname !== undefined && hostname === config.managementHost : port === config.managementPort;
  const which = isManagement ? 'MANAGEMENT_PORT' : 'PORT';
  const host = isManagement ? (config.managementHost ?? config.host) : config.host;
  if (code === 'EADDRINUSE') {
    const flag = which.toLowerCase().replace('_', '-');
    return `port ${port} on ${host} is taken. Set MILLRACE_${which} (or --${flag}) to another one; 0 picks a free one.`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    const hostOf = which.replace('PORT', 'HOST');
    const asked = port ?? (isManagement ? config.managementPort : config.port);
    return `cannot listen on ${host}:${asked} (${message}). Check MILLRACE_${hostOf} and MILLRACE_${which}.`;
  }
  return `cannot start: ${message}`;
}
