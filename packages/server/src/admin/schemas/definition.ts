import Type from 'typebox';
import type { Form } from '../../core/definition-form.ts';
import type * as destination from '../../core/destination.ts';
import { scalar, valueTest } from '../../core/value-test-form.ts';
import { callFilter } from '../../deliver/call-filter.ts';
import * as form from '../../people/check-definition.ts';
import type * as language from '../../people/definition.ts';
import { named, oneOf, type SchemaOf } from './shape.ts';

/**
 * The language of audiences and computed traits (people/definition.ts), for readers of the OpenAPI document. Requests are not
 * validated with it (validate.ts): people/ checks definitions itself, with better messages. So the types are those of people/,
 * which are recursive.
 */

export type { OperandOf, Scalar, Test, TestName } from '../../core/value-test.ts';
export type {
  EventCondition,
  EventSelection,
  GroupTraitCondition,
  MemberCondition,
  Period,
  TraitCondition,
} from '../../people/definition.ts';

/** Types of calls with a name and properties. */
export const seenType = oneOf(['track', 'page', 'screen']);

const of = <T>({ schema }: Form): SchemaOf<T> => named(String(schema['$id']), Type.Unsafe<T>(schema));

export type Condition = language.Condition;
export const Condition = of<Condition>(form.condition);

export type TraitDefinition = language.TraitDefinition;
export const TraitDefinition = of<TraitDefinition>(form.traitDefinition);

export type CallFilter = destination.CallFilter;
export const CallFilter = of<CallFilter>(callFilter);

// Named, so that references to them resolve.
for (const part of [scalar, valueTest, form.period, form.eventSelection, form.eventCondition]) of(part);
