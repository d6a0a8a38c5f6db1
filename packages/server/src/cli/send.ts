import { randomUUID } from 'node:crypto';
import { Argument, Command } from 'commander';
import { CALL_TYPES, type CallType } from '../core/event.ts';
import { readJson } from '../core/json.ts';
import { refusalText } from '../import/answer.ts';
import { moment, several } from './arguments.ts';
import { collect } from './client.ts';
import { type SourceFlags, urlOf, withSourceFlags, writeKeyOf } from './connection.ts';
import { EXIT, type ExitCode, type Io, usageFailure } from './io.ts';
import { printable } from './paint.ts';

interface SendFlags extends SourceFlags {
  readonly user?: string;
  readonly anonymous?: string;
  readonly property?: readonly string[];
  readonly trait?: readonly string[];
  readonly context?: readonly string[];
  readonly group?: string;
  readonly previous?: string;
  readonly messageId?: string;
  readonly timestamp?: string;
  readonly json?: string;
}

/** `millrace send`: one call from the shell. */
export function sendCommand(io: Io, end: (code: ExitCode) => void): Command {
  const command = new Command('send')
    .description('send one call')
    .addArgument(new Argument('[type]', 'which kind of call').choices(CALL_TYPES).default('track'))
    .argument('[name]', 'event of a track call, name of a page or screen, id of a group, new id of an alias')
    .option('--user <id>', 'userId')
    .option('--anonymous <id>', 'anonymousId')
    .option('--property <name=value>', 'a property of a track, page or screen call; may be given again', several)
    .option('--trait <name=value>', 'a trait of an identify or group call', several)
    .option('--context <name=value>', 'a field of the context', several)
    .option('--group <id>', 'groupId')
    .option('--previous <id>', 'previousId')
    .option('--message-id <id>', 'messageId (default: a new one)')
    .option('--timestamp <time>', 'when it happened, ISO 8601 (default: now, by the clock of the service)', moment)
    .option('--json <call>', 'the whole call as JSON; what the other flags say goes over it');
  return withSourceFlags(command)
    .addHelpText(
      'after',
      `
Values are JSON where they can be read as JSON (12.5, true, null, {"a":1}), else text.
Prints the answer; exit code 0 when the call is accepted and durable, 1 when it was refused or not answered.

Examples:
  $ millrace send                                                  a sample
  $ millrace send track "Order Completed" --user u1 --property total=12.5 --property currency=EUR
  $ millrace send identify --user u1 --trait email=anna@mail.example
  $ millrace send page Home --anonymous visitor-7
  $ millrace send group acme --user u1 --trait employees=40
  $ millrace send alias u1 --previous visitor-7`,
    )
    .action(async (type: CallType, name: string | undefined, flags: SendFlags) =>
      end(await send(io, type, name, flags)),
    );
}

async function send(io: Io, type: CallType, name: string | undefined, flags: SendFlags): Promise<ExitCode> {
  const call = callOf(type, name, flags);
  const url = urlOf(io, flags);
  const writeKey = await writeKeyOf(io, flags);
  const answer = await collect(url, `/v1/${type}`, writeKey, JSON.stringify(call));
  // A call of a suppressed user is refused in an answer of success.
  const [refused] = answer.rejected;
  if (!answer.ok || refused !== undefined) {
    io.err.write(`millrace: the call was refused: ${printable(refusalText({ ...answer, ...refused }))}\n`);
    return EXIT.failed;
  }
  io.out.write(`${answer.status} ${answer.text.trim()}  ${type} ${printable(String(call['messageId']))}\n`);
  return EXIT.ok;
}

type Fields = Readonly<Record<string, unknown>>;

/** Flags that only some types of calls have. */
const TAKEN_BY = {
  property: ['track', 'page', 'screen'],
  trait: ['identify', 'group'],
  group: ['group'],
  previous: ['alias'],
} as const satisfies Partial<Record<keyof SendFlags, readonly CallType[]>>;

/** The flag that sets the same field as the second argument, by type. */
const SAME_AS_NAME: Partial<Record<CallType, 'user' | 'group'>> = { identify: 'user', group: 'group', alias: 'user' };

/** @throws CommandFailure if a flag has no effect on a call of this type, or contradicts the second argument. */
function checkFlags(type: CallType, name: string | undefined, flags: SendFlags): void {
  for (const [flag, types] of Object.entries(TAKEN_BY) as [keyof typeof TAKEN_BY, readonly CallType[]][]) {
    if (flags[flag] === undefined || types.includes(type)) continue;
    throw usageFailure(`a call of type ${type} takes no --${flag}. It is for: ${types.join(', ')}`);
  }
  const same = SAME_AS_NAME[type];
  const said = same && flags[same];
  if (name !== undefined && said !== undefined && said !== name)
    throw usageFailure(
      `${JSON.stringify(name)} and --${same} ${JSON.stringify(said)} name the same field: give one of them`,
    );
}

/** The call that the arguments describe. Without any it is a sample, so that a first try needs no arguments. */
function callOf(type: CallType, name: string | undefined, flags: SendFlags): Fields {
  checkFlags(type, name, flags);
  const own = ownFields(type, name, flags);
  const fields: Fields = {
    ...given({ userId: flags.user, anonymousId: flags.anonymous, timestamp: flags.timestamp }),
    ...own,
    ...pairs('context', '--context', flags.context),
  };
  const base = flags.json === undefined ? sampleFor(type, fields) : parseCall(flags.json);
  const { type: said = type } = base;
  if (said !== type)
    throw usageFailure(`--json is of type ${JSON.stringify(said)}, and this sends ${type}: name one of them`);
  const messageId = flags.messageId ?? base['messageId'] ?? randomUUID();
  return { ...base, ...fields, messageId };
}

function ownFields(type: CallType, name: string | undefined, flags: SendFlags): Fields {
  const properties = pairs('properties', '--property', flags.property);
  const traits = pairs('traits', '--trait', flags.trait);
  switch (type) {
    case 'track':
      return { ...given({ event: name }), ...properties };
    case 'page':
    case 'screen':
      return { ...given({ name }), ...properties };
    case 'identify':
      return { ...given({ userId: name }), ...traits };
    case 'group':
      return { ...given({ groupId: flags.group ?? name }), ...traits };
    case 'alias':
      return given({ userId: name ?? flags.user, previousId: flags.previous });
    default:
      return type satisfies never;
  }
}

/** Sample values for missing fields. A sample event only if no field was given. */
function sampleFor(type: CallType, fields: Fields): Fields {
  const identified = 'userId' in fields || 'anonymousId' in fields;
  const who = identified ? {} : { userId: 'u1' };
  if (type !== 'track' || 'event' in fields) return who;
  if (Object.keys(fields).length > 0)
    throw usageFailure('which event? Name it: millrace send track "Order Completed" …');
  return { ...who, event: 'Order Completed', properties: { order_id: '50314b8e', total: 27.5, currency: 'EUR' } };
}

function parseCall(text: string): Fields {
  let call: unknown;
  try {
    call = JSON.parse(text);
  } catch (error) {
    throw usageFailure(`--json is no JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (typeof call === 'object' && call !== null && !Array.isArray(call)) return call as Fields;
  throw usageFailure('--json must be a JSON object');
}

function pairs(field: string, flag: string, texts: readonly string[] | undefined): Fields {
  if (texts === undefined) return {};
  const entries = texts.map((text): [string, unknown] => {
    const equals = text.indexOf('=');
    if (equals < 1) throw usageFailure(`${flag} takes name=value, not ${JSON.stringify(text)}`);
    return [text.slice(0, equals), parsedValue(text.slice(equals + 1))];
  });
  return { [field]: Object.fromEntries(entries) };
}

/** Text that is not JSON stays text. So does a number that is too large (1e400): it would be sent as null. */
function parsedValue(text: string): unknown {
  const json = readJson(text);
  const isTooLarge = typeof json === 'number' && !Number.isFinite(json);
  return json === undefined || isTooLarge ? text : json;
}

function given(fields: Readonly<Record<string, string | undefined>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
