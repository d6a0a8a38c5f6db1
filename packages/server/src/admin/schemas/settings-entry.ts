import Type, { type Static } from 'typebox';
import { OPTION_NAMES, type OptionName, SIGNATURES } from '../../core/destination.ts';
import { SOURCE_TYPES } from '../../core/source.ts';
import type { AlertSettingsChange } from './alert.ts';
import type { DestinationChange } from './destination.ts';
import { closed, flag, list, nullable, oneOf, optionals, type SchemaOf, text } from './shape.ts';
import type { SourceChange } from './source.ts';

/** The content of a settings file (settings-file/reader.ts). Omitted fields stay unchanged. */

/** A value that is not checked here: the schema of the API checks it when the file becomes a request. */
const asWritten = <T>(): SchemaOf<NonNullable<T>> => Type.Unsafe({});

const bound: SchemaOf<number | null> = nullable(Type.Number());

export type SourceEntry = Static<typeof source>;
const source = closed(
  optionals({
    id: text(),
    name: text(),
    type: oneOf(SOURCE_TYPES),
    enabled: flag(),
    writeKey: text(),
    allowedOrigins: list(text()),
    quota: nullable(closed(optionals({ eventsPerSecond: bound, bytesPerSecond: bound, eventsPerDay: bound }))),
    alerts: asWritten<SourceChange['alerts']>(),
  }),
);

const headers: SchemaOf<Record<string, string> | null> = Type.Unsafe({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
});

type Options = { [Name in OptionName]: SchemaOf<NonNullable<DestinationChange[Name]>> };

export type DestinationEntry = Static<typeof destination>;
const destination = closed(
  optionals({
    id: text(),
    name: text(),
    type: oneOf(['Webhooks']),
    enabled: flag(),
    /** Names or ids of sources. */
    sources: list(text()),
    webhooks: list(closed({ ...optionals({ id: text() }), url: text(), ...optionals({ headers }) })),
    /** Null removes a secret. */
    sharedSecret: nullable(text()),
    signatures: list(oneOf(SIGNATURES)),
    standardSecret: nullable(text()),
    ...(Object.fromEntries(OPTION_NAMES.map((name) => [name, asWritten<unknown>()])) as Options),
  }),
);

const alerts = closed(optionals({ rules: asWritten(), endsAfter: asWritten(), addresses: asWritten() }));

/** The sections of a file. Things of an omitted section stay unchanged. */
export const sections = closed(
  optionals({
    sources: list(source),
    destinations: list(destination),
    alerts: alerts as SchemaOf<AlertSettingsChange>,
  }),
);
