/** The options of a select field, from each value and its label. */
export function choices<Value extends string>(words: Readonly<Record<Value, string>>): Choice<Value>[] {
  return Object.entries<string>(words).map(([value, label]) => ({ value: value as Value, label }));
}

interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
}
