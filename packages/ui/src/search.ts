import { isText } from './format/shortened.ts';

/** The choices of a filter, and the one that the address names beside them: a filter that is on is shown. */
export function withOther<Option extends { readonly value: string; readonly label: string }>(
  known: readonly Option[],
  chosen: string | undefined,
  label: string = chosen ?? '',
): readonly { readonly value: string; readonly label: string }[] {
  const isKnown = chosen === undefined || known.some(({ value }) => value === chosen);
  return isKnown ? known : [...known, { value: chosen, label }];
}

/**
 * The named texts of an address's query; what is absent or empty is left out. Filters stand in the address, so that a link
 * shows another person the same.
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
