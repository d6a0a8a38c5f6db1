import type { FastifySchemaCompiler } from 'fastify';
import Type, { type TSchema } from 'typebox';
import Compile, { type Validator } from 'typebox/compile';
import System from 'typebox/system';
import { weakMemo } from '../core/bounded-map.ts';
import type { FieldError } from './contract.ts';
import { fieldErrors, invalidInput } from './input.ts';
import { CallFilter, Condition, TraitDefinition } from './schemas/definition.ts';
import { nameOf, SCHEMAS } from './schemas/shape.ts';

// Enough errors to name each wrong field of the largest sensible request. The default is 8.
System.Settings.Set({ maxErrors: 64 });

type Check = Validator<Record<string, TSchema>, TSchema>;

/** Definitions and filters pass unchecked: people/ and deliver/ check them, with better messages than a choice of schemas gives. */
function checkBy(schema: TSchema): Check {
  const anything = [CallFilter, Condition, TraitDefinition].map((one) => [nameOf(one), Type.Unknown()] as const);
  return Compile(Object.fromEntries<TSchema>([...SCHEMAS, ...anything]), schema);
}

/**
 * Compiles a route's schema into a check. Bodies are not converted. Path and query are texts, and are converted to the numbers
 * and booleans of their schema. Nothing is removed, and no default is filled in. Compiled at the first request: most processes
 * use few routes, and the start should not wait for the others.
 */
export const compileCheck: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Check | undefined;
  const isText = httpPart === 'querystring' || httpPart === 'params';
  return (input: unknown) => {
    compiled ??= checkBy(schema);
    const check = compiled;
    const value = isText ? converted(check, input as Texts) : input;
    if (check.Check(value)) return { value };
    return { error: invalidInput(fieldErrors(check.Errors(value))) };
  };
};

type Texts = Readonly<Record<string, unknown>>;

/** Converts texts. If the number means something else than the text (`1.5` gave 1), the text stays, to be refused. */
function converted(check: Check, texts: Texts): Texts {
  const values = check.Convert({ ...texts }) as Texts;
  const isOther = (name: string, value: unknown): boolean => typeof value === 'number' && value !== Number(texts[name]);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isOther(name, value) ? texts[name] : value]),
  );
}

const checkOf = weakMemo(checkBy);

/** The errors of a value that does not come from a request, by a named schema; empty if it fits. */
export function schemaErrors(schema: TSchema, value: unknown): FieldError[] {
  const check = checkOf(schema);
  return check.Check(value) ? [] : fieldErrors(check.Errors(value));
}
