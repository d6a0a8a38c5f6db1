/** The choices of a field: what each is called, by its value. */
export function choices<Value extends string>(words: Readonly<Record<Value, string>>): Choice<Value>[] {
  return Object.entries<string>(words).map(([value, label]) => ({ value: value as Value, label }));
}

interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
}
