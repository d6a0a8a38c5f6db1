import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import { DEFAULT_URL } from './connection.ts';
import type { Io } from './io.ts';

/** The next steps of a new user: commands that can be copied as they are, in a terminal in the same folder. */
export function firstSteps(listeningOn: string, token: string, config: Config, io: Io): string {
  const url = reachable(listeningOn);
  const at = url === DEFAULT_URL ? '' : ` --url ${url}`;
  // With the default data folder the commands find the token themselves.
  const tokenLine = isDefault(config.dataDir) && !isNode(config) ? '' : `  export MILLRACE_ADMIN_TOKEN=${token}\n`;
  const isAsked = !config.allowPrivateUrls && !isNode(config) && isLoopbackHost(config.host);
  const flag = isAsked ? ' --allow-loopback' : '';
  const allow =
    config.allowPrivateUrls || isAsked
      ? ''
      : `As it runs now, webhooks can only go to the public internet. To see a call arrive on this machine, end this
with Ctrl-C and start it once more with

  MILLRACE_ALLOW_PRIVATE_URLS=true ${startedAs(io)}

`;
  return `
Admin token (printed this once, ${isNode(config) ? 'good for every node of the cluster' : `kept in ${join(config.dataDir, 'admin-token')}`}):

  ${token}

${allow}Send the first event and see it arrive, signed. In a second terminal, in this folder:

${tokenLine}  npx millrace listen --connect${flag}${at}

It makes a source and a destination${isAsked ? ', lets the service send to this machine until it ends' : ''}, and prints and verifies what arrives. In a third:

${tokenLine}  npx millrace send${at}

The admin API takes the same token:

  curl -H 'Authorization: Bearer ${token}' ${url}/api/sources

`;
}

/** The link that signs in without the token. */
export function signInHint(listeningOn: string, path: string): string {
  return `Open ${reachable(listeningOn)}${path} (signs in once, within an hour)\n`;
}

/** Where to find the token that an earlier start has printed. */
export function tokenHint(config: Config): string {
  return isNode(config)
    ? 'The admin token is the one that the first node of the cluster printed; MILLRACE_ADMIN_TOKEN, set on all nodes, replaces it\n'
    : `The admin token is in ${join(config.dataDir, 'admin-token')}\n`;
}

/** Replaces a wildcard address by the loopback address: one that a client can open. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:');
}

function isNode({ databaseUrl }: Config): boolean {
  return databaseUrl !== null;
}

function isDefault(dataDir: string): boolean {
  return resolve(dataDir) === resolve('./data');
}

/** The command line of this process, as a user would type it. */
function startedAs({ argv, env }: Io): string {
  const flags = argv
    .slice(1)
    .map((flag) => (/^[\w@%+=:,./-]+$/.test(flag) ? flag : `'${flag.replaceAll("'", `'\\''`)}'`));
  const byNpm = env['npm_lifecycle_event'] === 'start';
  const command = byNpm ? ['npm', 'start', ...(flags.length > 0 ? ['--'] : [])] : ['npx', 'millrace', 'start'];
  return [...command, ...flags].join(' ');
}
