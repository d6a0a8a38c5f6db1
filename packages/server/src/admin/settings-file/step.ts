import type { TSchema } from 'typebox';
import type {
  AlertSettingsChange,
  DestinationChange,
  FieldChange,
  NewDestination,
  NewSource,
  PlannedChange,
  SourceChange,
} from '../contract.ts';
import * as alert from '../schemas/alert.ts';
import * as destination from '../schemas/destination.ts';
import * as source from '../schemas/source.ts';

interface About {
  /** Path in the file; empty if it is not in the file. */
  readonly path: string;
  readonly name: string;
  readonly changes: readonly FieldChange[];
}

export type Step = About &
  (
    | { readonly kind: 'create source'; readonly body: NewSource }
    | { readonly kind: 'change source'; readonly id: string; readonly body: SourceChange }
    | { readonly kind: 'delete source'; readonly id: string }
    /** `sources`: ids; of planned sources their paths in the file. */
    | { readonly kind: 'create destination'; readonly body: NewDestination; readonly sources: readonly string[] }
    | {
        readonly kind: 'change destination';
        readonly id: string;
        readonly body: DestinationChange;
        /** Null if the sources stay as they are. */
        readonly sources: readonly string[] | null;
      }
    | { readonly kind: 'delete destination'; readonly id: string }
    | { readonly kind: 'change alerts'; readonly body: AlertSettingsChange }
  );

/** The schema of a step's body, by kind: that of the admin API's call. */
export const BODIES: Readonly<Record<Extract<Step, { readonly body: object }>['kind'], TSchema>> = {
  'create source': source.NewSource,
  'change source': source.SourceChange,
  'create destination': destination.NewDestination,
  'change destination': destination.DestinationChange,
  'change alerts': alert.AlertSettingsChange,
};

/** A step as the admin API shows it. */
export function plannedChange({ kind, name, changes }: Step): PlannedChange {
  const [verb, type] = kind.split(' ') as ['create' | 'change' | 'delete', PlannedChange['type']];
  const fields = changes.map(({ field }) => field);
  return { action: verb === 'change' ? 'update' : verb, type, name, fields, values: changes };
}
