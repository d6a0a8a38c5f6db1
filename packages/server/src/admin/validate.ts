import type { FastifySchemaCompiler } from 'fastify';
import Type, { type TSchema } from 'typebox';
import Compile, { type Validator } from 'typebox/compile';
import System from 'typebox/system';
import { weakMemo } from '../core/bounded-map.ts';
import type { FieldError } from './contract.ts';
import { fieldErrors, invalidInput } from './input.ts';
import { CallFilter, Condition, TraitDefinition } from './schemas/definition.ts';
import { nameOf, SCHEMAS } from './schemas/shape.ts';

// Enough to name each wrong field of the largest sensible request; the default is 8.
System.Settings.Set({ maxErrors: 64 });

type Check = Validator<Record<string, TSchema>, TSchema>;

/** A definition may be anything here: people/ and deliver/ check it, and say more of what is wrong than a choice of schemas can. */
function checkBy(schema: TSchema): Check {
  const anything = [CallFilter, Condition, TraitDefinition].map((one) => [nameOf(one), Type.Unknown()] as const);
  return Compile(Object.fromEntries<TSchema>([...SCHEMAS, ...anything]), schema);
}

/**
 * Compiles a route's schema into its check. Bodies are taken as they are; path and query, which are text, are converted
 * to the numbers and booleans their schema asks for. Nothing is removed and no default is filled in. It is compiled when
 * the first request comes: most processes see only a few of the routes, and none should begin later for the others.
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

/** A text that another number was made of, `1.5` of which 1, stays what it was, to be refused. */
function converted(check: Check, texts: Texts): Texts {
  const values = check.Convert({ ...texts }) as Texts;
  const isOther = (name: string, value: unknown): boolean => typeof value === 'number' && value !== Number(texts[name]);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isOther(name, value) ? texts[name] : value]),
  );
}

const checkOf = weakMemo(checkBy);

/** What a named schema says of a value that comes from elsewhere than a request; empty when it fits. */
export function schemaErrors(schema: TSchema, value: unknown): FieldError[] {
  const check = checkOf(schema);
  return check.Check(value) ? [] : fieldErrors(check.Errors(value));
}
