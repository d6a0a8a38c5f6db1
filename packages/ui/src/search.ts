import { isText } from './format/shortened.ts';

/** The options of a filter, plus the value in the address if it is another one, so that an active filter is always shown. */
export function withOther<Option extends { readonly value: string; readonly label: string }>(
  known: readonly Option[],
  chosen: string | undefined,
  label: string = chosen ?? '',
): readonly { readonly value: string; readonly label: string }[] {
  const isKnown = chosen === undefined || known.some(({ value }) => value === chosen);
  return isKnown ? known : [...known, { value: chosen, label }];
}

/**
 * The named texts of an address's query, without absent and empty ones. Filters are in the address, so that a link shows
 * another person the same.
 */
export function textsOf<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = search[name];
    return isText(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}
