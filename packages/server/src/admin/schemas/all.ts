import type { TSchema } from 'typebox';
import * as account from './account.ts';
import * as alert from './alert.ts';
import * as audience from './audience.ts';
import * as check from './check.ts';
import * as definition from './definition.ts';
import * as delivery from './delivery.ts';
import * as destination from './destination.ts';
import * as destinationStatus from './destination-status.ts';
import * as failure from './failure.ts';
import * as health from './health.ts';
import * as live from './live.ts';
import * as person from './person.ts';
import * as problem from './problem.ts';
import * as regulation from './regulation.ts';
import * as replay from './replay.ts';
import * as routingPreview from './routing-preview.ts';
import * as search from './search.ts';
import * as settingsFile from './settings-file.ts';
import { isNamed, nameOf } from './shape.ts';
import * as source from './source.ts';
import * as stats from './stats.ts';

const FILES: readonly Readonly<Record<string, unknown>>[] = [
  ...[
    problem,
    health,
    source,
    destination,
    destinationStatus,
    routingPreview,
    delivery,
    check,
    replay,
    alert,
    regulation,
    definition,
    audience,
    person,
  ],
  ...[stats, search, failure, live, account, settingsFile],
];

/** Every named schema, so that references to them can be resolved and the OpenAPI document lists them. */
export const SCHEMAS: readonly TSchema[] = FILES.flatMap((file) => Object.values(file).flat()).filter(
  (schema): schema is TSchema => typeof schema === 'object' && schema !== null && isNamed(schema),
);

/** The same by name. */
export const SCHEMAS_BY_NAME: Readonly<Record<string, TSchema>> = Object.fromEntries(
  SCHEMAS.map((schema) => [nameOf(schema), schema]),
);
