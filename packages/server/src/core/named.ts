/** What people name as they like, and the service by an id. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The one with this id; else all with this name. */
export function byName<T extends Named>(things: readonly T[], named: string): T[] {
  const withId = things.filter(({ id }) => id === named);
  return withId.length > 0 ? withId : things.filter(({ name }) => name === named);
}

/** As messages tell it: names may be given twice. */
export function nameAndId({ id, name }: Named): string {
  return `${name} (${id})`;
}
