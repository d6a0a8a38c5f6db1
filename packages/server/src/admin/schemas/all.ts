import type { TSchema } from 'typebox';
import * as delivery from './delivery.ts';
import * as destination from './destination.ts';
import { HealthReport } from './health.ts';
import { FieldError, Problem } from './problem.ts';
import * as replay from './replay.ts';
import { nameOf } from './shape.ts';
import * as source from './source.ts';

/** Every named schema, so that references to them can be resolved and the OpenAPI document lists them. */
export const SCHEMAS: readonly TSchema[] = [
  FieldError,
  Problem,
  source.Source,
  source.NewSource,
  source.SourceChange,
  source.SourceTotals,
  source.Rejection,
  destination.CatalogItem,
  destination.WebhooksSettings,
  destination.TrackFilter,
  destination.Destination,
  destination.NewDestination,
  destination.DestinationChange,
  destination.Counts,
  destination.LaneCounts,
  destination.DestinationStatus,
  delivery.Attempt,
  delivery.TestCall,
  delivery.TestResult,
  delivery.Delivery,
  delivery.Trace,
  replay.NewReplay,
  replay.ReplayPreview,
  replay.Replay,
  HealthReport,
];

/** The same by name. */
export const SCHEMAS_BY_NAME: Readonly<Record<string, TSchema>> = Object.fromEntries(
  SCHEMAS.map((schema) => [nameOf(schema), schema]),
);
