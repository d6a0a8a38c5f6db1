/** A world whose fields of these names are those of what is there now, also when something else has taken its place. */
export function withCurrent<W extends object, K extends keyof W>(
  there: () => NoInfer<Pick<W, K>>,
  names: readonly K[],
  others: NoInfer<Omit<W, K>>,
): W {
  const fields = names.map((name) => [name, { get: () => there()[name], enumerable: true }]);
  return Object.defineProperties(others, Object.fromEntries(fields)) as W;
}
