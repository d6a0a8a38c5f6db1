const buffers = new WeakMap<object, readonly ArrayBuffer[]>();

/** Says that these buffers go along when the value is given to another thread: they are moved, not copied, and empty here afterwards. */
export function handOver<T extends object>(value: T, its: readonly ArrayBuffer[]): T {
  buffers.set(value, its);
  return value;
}

/** The buffers that go along with a value. */
export function handedOver(value: unknown): readonly ArrayBuffer[] {
  return (typeof value === 'object' && value !== null && buffers.get(value)) || [];
}
