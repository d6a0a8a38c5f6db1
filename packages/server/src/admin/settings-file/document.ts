import { Document, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import type { AlertSettings } from '../../alerts/contract.ts';
import {
  OPTION_NAMES,
  type OptionName,
  SECRETS,
  type SecretName,
  type SignatureScheme,
  type Target,
} from '../../core/destination.ts';
import { MAX_LEVELS, withTexts } from '../../core/json.ts';
import { finder } from '../../core/named.ts';
import { literal } from '../../core/placeholder.ts';
import type { Quota } from '../../core/source.ts';
import type { AlertSettingsChange as AlertsChange, Destination, FieldError, Role, Source } from '../contract.ts';
import { AlertSettingsChange } from '../schemas/alert.ts';
import { type DestinationEntry, type SourceEntry, sections } from '../schemas/settings-entry.ts';
import { schemaErrors } from '../validate.ts';
import { headersView } from '../views.ts';
import { alertsWritten, urlKept } from './alerts.ts';
import { SettingsReader, type Variables } from './reader.ts';

/** The settings as the admin API shows them to the caller, current or planned. */
export interface Current {
  readonly role: Role;
  readonly sources: readonly CurrentSource[];
  readonly destinations: readonly CurrentDestination[];
  readonly alerts: AlertSettings;
}

export type CurrentSource = Pick<
  Source,
  'id' | 'name' | 'type' | 'enabled' | 'writeKey' | 'allowedOrigins' | 'quota' | 'alerts'
>;

/** Of a secret it says whether there is one. */
export interface CurrentDestination
  extends Pick<Destination, 'id' | 'name' | 'type' | 'enabled' | 'sourceIds' | OptionName>,
    Readonly<Record<SecretName, boolean>> {
  /** A planned URL has no id. */
  readonly webhooks: readonly Target[];
  readonly signatures: readonly SignatureScheme[];
}

/** An entry of the file, with its path. */
export type FileSource = Omit<SourceEntry, 'quota'> & { readonly path: string; readonly quota?: Quota | null };

export type FileDestination = Omit<DestinationEntry, 'webhooks'> & {
  readonly path: string;
  readonly webhooks?: readonly Target[];
};

/** The content of a file. An omitted section leaves its things unchanged. */
export interface SettingsFile {
  readonly sources: readonly FileSource[] | null;
  readonly destinations: readonly FileDestination[] | null;
  /** General alert settings. Rules of single destinations and sources are in their entries. */
  readonly alerts: AlertsChange | null;
  /** Paths whose values came from variables. */
  readonly masked: ReadonlySet<string>;
}

export interface ReadSettings {
  readonly settings: SettingsFile;
  readonly errors: readonly FieldError[];
  /** Line of each path, from 1. */
  readonly lines: ReadonlyMap<string, number>;
}

/** The most sources, and the most destinations, in a file: the thread sends the result in one message. */
const MOST_ENTRIES = 2_000;

/**
 * Reads a settings file; problems are in `errors`. The time grows linearly with the text. Duplicate keys are searched for here,
 * because the parser compares every key with every other.
 */
export function readSettings(text: string, variables: Variables): ReadSettings {
  const lines = new LineCounter();
  const deepAt = tooDeepAt(text);
  if (deepAt !== null) {
    const message = `has more than ${MAX_LEVELS} lists and mappings in one another`;
    const settings = { sources: null, destinations: null, alerts: null, masked: new Set<string>() };
    return { settings, errors: [{ path: '', message, line: deepAt }], lines: new Map() };
  }
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const reader = new SettingsReader(variables);
  const wrong = [...document.errors.map(({ message, pos }) => ({ message, at: pos[0] })), ...repeatedKeys(document)];
  for (const { message, at } of wrong) reader.errors.push({ path: '', message, line: lines.linePos(at).line });
  const read = wrong.length > 0 ? {} : (reader.read(sections, readValue(document, reader), '') ?? {});
  const { sources, destinations, alerts } = read;
  const settings: SettingsFile = {
    sources: sources?.map(sourceAt) ?? null,
    destinations: destinations?.map(destinationAt) ?? null,
    alerts: alerts ? checkAlerts(reader, alerts) : null,
    masked: reader.masked,
  };
  for (const path of ['sources', 'destinations'] as const) {
    if ((settings[path]?.length ?? 0) <= MOST_ENTRIES) continue;
    reader.errors.push({ path, message: `has more than ${MOST_ENTRIES} entries: make several files of it` });
  }
  return { settings, errors: reader.errors, lines: linesOf(document, lines) };
}

/**
 * The line at which too many brackets and list dashes are open; null if there is none. The parser recurses into these, and an
 * overflow would end the thread. Depth by indentation needs no limit: its text grows with the square of the levels.
 */
function tooDeepAt(text: string): number | null {
  let [line, brackets, dashes] = [1, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets += 1;
    else if (token === ']' || token === '}') brackets -= 1;
    else if (token === '-') dashes += 1;
    if (brackets + dashes > MAX_LEVELS) return line;
    const breaks = token.split('\n').length - 1;
    if (breaks > 0) dashes = 0;
    line += breaks;
  }
  return null;
}

/** The content as plain values. An empty mapping if the file is empty, or if its aliases expand too far. */
function readValue(document: Document.Parsed, reader: SettingsReader): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    // The only error that the parser throws here: aliases that expand too far.
    if (!(error instanceof ReferenceError)) throw error;
    reader.errors.push({ path: '', message: `the aliases of the file can not be read: ${error.message}` });
    return {};
  }
}

interface Wrong {
  readonly message: string;
  /** Character offset in the text. */
  readonly at: number;
}

function repeatedKeys(document: Document.Parsed): readonly Wrong[] {
  const found: Wrong[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) found.push({ message: `the key ${String(name)} is there twice`, at: startOf(key) });
        seen.add(name);
      }
    },
  });
  return found;
}

function startOf(node: unknown): number {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : null;
  return Array.isArray(range) ? Number(range[0]) : 0;
}

export interface WriteOptions {
  readonly withWriteKeys?: boolean;
  /** Ids that stand for planned things: they are not written. */
  readonly unmade?: ReadonlySet<string>;
}

/** Writes a settings file that reads back as the same settings. It contains no secrets, and write keys only on request. */
export function writeSettings({ role, sources, destinations, alerts }: Current, options: WriteOptions = {}): string {
  // Undefined fields are not written.
  const idOf = (id: string): string | undefined => (options.unmade?.has(id) ? undefined : id);
  const find = finder(sources);
  const namedOnce = (id: string): string => {
    const name = find(id, undefined)[0]?.name ?? id;
    return find(undefined, name).length === 1 ? literal(name) : id;
  };
  const written = alertsWritten(alerts, role);
  const document = new Document({
    sources: sources.map(({ id, name, type, enabled, writeKey, allowedOrigins, quota, alerts }) => ({
      id: idOf(id),
      name: literal(name),
      type,
      enabled,
      allowedOrigins,
      quota,
      alerts,
      writeKey: options.withWriteKeys ? writeKey : undefined,
    })),
    destinations: destinations.map(({ id, name, type, enabled, sourceIds, webhooks, signatures, ...others }) => ({
      id: idOf(id),
      name: literal(name),
      type,
      enabled,
      sources: sourceIds.map(namedOnce),
      webhooks: webhooks.map(({ id: webhookId, url, headers }) => ({
        id: webhookId,
        url: literal(url),
        headers: Object.keys(headers).length > 0 ? withTexts(headersView(headers, role), literal) : undefined,
      })),
      signatures: isSegment(signatures) ? undefined : signatures,
      ...Object.fromEntries(OPTION_NAMES.map((option) => [option, withTexts(others[option], literal)])),
    })),
    alerts: written ? withTexts(written, literal) : undefined,
  });
  document.commentBefore = HEAD;
  for (const [place, destination] of destinations.entries()) {
    const node = document.getIn(['destinations', place], true);
    const set = SECRETS.filter((name) => destination[name]);
    if (isMap(node) && set.length > 0) node.comment = secretsKept(set);
  }
  for (const [place, address] of alerts.addresses.entries()) {
    const node = document.getIn(['alerts', 'addresses', place], true);
    const kept = urlKept(address, role);
    const comments = [
      ...(kept === null ? [] : [` Its URL (${kept}) is a secret, and stays. To set another: url: \${NAME}`]),
      ...(address.kind === 'webhook' ? [secretsKept(['standardSecret'])] : []),
    ];
    if (isMap(node) && comments.length > 0) node.comment = comments.join('\n');
  }
  return document.toString({ lineWidth: 0 });
}

const HEAD = ` Settings of Millrace, for "millrace apply". What is left out stays as it is.
 \${NAME} in a text stands for a variable; $\${ for the two characters themselves.`;

function secretsKept(names: readonly SecretName[]): string {
  const all = names.map(
    (name) => ` ${SECRET_WORDS[name]} is set, and stays. To set another: ${name}: \${NAME}, and --set-secrets`,
  );
  return all.join('\n');
}

const SECRET_WORDS: Readonly<Record<SecretName, string>> = {
  sharedSecret: 'A shared secret',
  standardSecret: 'A secret of Standard Webhooks',
};

function isSegment([first, ...more]: readonly SignatureScheme[]): boolean {
  return first === 'segment' && more.length === 0;
}

/** Omitted fields of a quota have no limit. */
function sourceAt(entry: SourceEntry, place: number): FileSource {
  const quota = entry.quota && { eventsPerSecond: null, bytesPerSecond: null, eventsPerDay: null, ...entry.quota };
  return { path: `sources.${place}`, ...entry, ...(quota && { quota }) } as FileSource;
}

function destinationAt({ webhooks, ...entry }: DestinationEntry, place: number): FileDestination {
  return {
    ...entry,
    path: `destinations.${place}`,
    ...(webhooks && { webhooks: webhooks.map(({ headers, ...webhook }) => ({ ...webhook, headers: headers ?? {} })) }),
  };
}

/** Checks the alerts with the schema of the API's change. */
function checkAlerts(reader: SettingsReader, asked: AlertsChange): AlertsChange {
  for (const { path, message } of schemaErrors(AlertSettingsChange, asked)) reader.refuse(`alerts.${path}`, message);
  return asked;
}

function linesOf(document: Document.Parsed, lines: LineCounter): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  /** The line of a named value is the line of its name. */
  const walk = (node: unknown, path: string, begin: unknown): void => {
    if (path !== '') found.set(path, lines.linePos(startOf(begin)).line);
    const items = isMap(node)
      ? node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', value, key] as const)
      : isSeq(node)
        ? node.items.map((item, place) => [String(place), item, item] as const)
        : [];
    for (const [name, item, at] of items) walk(item, path === '' ? name : `${path}.${name}`, at);
  };
  walk(document.contents, '', document.contents);
  return found;
}
