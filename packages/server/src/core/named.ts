/** Something with a name that people choose and an id that the service gives. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds the thing with an id, else all things with a name. A search costs the same however many things there are. */
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

/** The thing with this id, else all things with this name. */
export function byName<T extends Named>(things: readonly T[], named: string): readonly T[] {
  return finder(things)(named, named);
}

/** How messages name a thing: two things may have one name, so the id follows. */
export function nameAndId({ id, name }: Named): string {
  return `${name} (${id})`;
}
