/** What people name as they like, and the service by an id. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds the one with an id, else all with a name. Asking costs the same however many things there are. */
export function finder<T extends Named>(
  things: readonly T[],
): (id: string | undefined, name: string | undefined) => readonly T[] {
  const byId = new Map<string | undefined, T>(things.map((thing) => [thing.id, thing]));
  const named = Map.groupBy<string | undefined, T>(things, ({ name }) => name);
  return (id, name) => {
    const withId = byId.get(id);
    return withId ? [withId] : (named.get(name) ?? []);
  };
}

/** The one with this id; else all with this name. */
export function byName<T extends Named>(things: readonly T[], named: string): readonly T[] {
  return finder(things)(named, named);
}

/** As messages tell it: names may be given twice. */
export function nameAndId({ id, name }: Named): string {
  return `${name} (${id})`;
}
