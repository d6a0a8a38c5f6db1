import type { FastifySchemaCompiler } from 'fastify';
import Type, { type TSchema } from 'typebox';
import Compile, { type Validator } from 'typebox/compile';
import System from 'typebox/system';
import { weakMemo } from '../core/bounded-map.ts';
import type { FieldError } from './contract.ts';
import { fieldErrors, invalidInput } from './input.ts';
import { SCHEMAS_BY_NAME } from './schemas/all.ts';
import { CallFilter, Condition, TraitDefinition } from './schemas/definition.ts';
import { nameOf } from './schemas/shape.ts';

// Enough to name each wrong field of the largest sensible request; the default is 8.
System.Settings.Set({ maxErrors: 64 });

/** A definition may be anything here: people/ and deliver/ check it, and say more of what is wrong than a choice of schemas can. */
const CHECKED: typeof SCHEMAS_BY_NAME = {
  ...SCHEMAS_BY_NAME,
  [nameOf(CallFilter)]: Type.Unknown(),
  [nameOf(Condition)]: Type.Unknown(),
  [nameOf(TraitDefinition)]: Type.Unknown(),
};

/**
 * Compiles a route's schema into its check. Bodies are taken as they are; path and query, which are text, are converted
 * to the numbers and booleans their schema asks for. Nothing is removed and no default is filled in. It is compiled when
 * the first request comes: most processes see only a few of the routes, and none should begin later for the others.
 */
export const compileCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator<typeof CHECKED, TSchema> | undefined;
  const isText = httpPart === 'querystring' || httpPart === 'params';
  return (input: unknown) => {
    compiled ??= Compile(CHECKED, schema);
    const check = compiled;
    const value = isText ? check.Convert({ ...(input as object) }) : input;
    if (check.Check(value)) return { value };
    return { error: invalidInput(fieldErrors(check.Errors(value))) };
  };
};

const checkOf = weakMemo((schema: TSchema): Validator<typeof CHECKED, TSchema> => Compile(CHECKED, schema));

/** What a named schema says of a value that comes from elsewhere than a request; empty when it fits. */
export function schemaErrors(schema: TSchema, value: unknown): FieldError[] {
  const check = checkOf(schema);
  return check.Check(value) ? [] : fieldErrors(check.Errors(value));
}
