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
import type { CurrentAlerts } from './alerts.ts';

/** A source that is there, by its id; or one that will be made, by its path in the file. */
export type SourceRef = { readonly id: string } | { readonly path: string };

interface About {
  /** In the file; empty for what is not in it. */
  readonly path: string;
  readonly name: string;
  readonly changes: readonly FieldChange[];
}

export type Step = About &
  (
    | { readonly kind: 'create source'; readonly body: NewSource }
    | { readonly kind: 'change source'; readonly id: string; readonly body: SourceChange }
    | { readonly kind: 'delete source'; readonly id: string }
    | { readonly kind: 'create destination'; readonly body: NewDestination; readonly sources: readonly SourceRef[] }
    | {
        readonly kind: 'change destination';
        readonly id: string;
        readonly body: DestinationChange;
        /** Null: they stay. */
        readonly sources: readonly SourceRef[] | null;
      }
    | { readonly kind: 'delete destination'; readonly id: string }
    /** `after`: also what it leaves as it is. */
    | { readonly kind: 'change alerts'; readonly body: AlertSettingsChange; readonly after: CurrentAlerts }
  );

/** What the bodies of steps must be, by the kind of step: those of the calls of the admin API. */
export const BODIES: Readonly<Record<Extract<Step, { readonly body: object }>['kind'], TSchema>> = {
  'create source': source.NewSource,
  'change source': source.SourceChange,
  'create destination': destination.NewDestination,
  'change destination': destination.DestinationChange,
  'change alerts': alert.AlertSettingsChange,
};

/** A step as the admin API tells it. */
export function plannedChange({ kind, name, changes }: Step): PlannedChange {
  const [verb, type] = kind.split(' ') as ['create' | 'change' | 'delete', PlannedChange['type']];
  const fields = changes.map(({ field }) => field);
  return { action: verb === 'change' ? 'update' : verb, type, name, fields, values: changes };
}
