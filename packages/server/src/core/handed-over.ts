const buffers = new WeakMap<object, readonly ArrayBuffer[]>();

/** Marks these buffers to be moved, not copied, when the value is given to another thread. They are empty here afterwards. */
export function handOver<T extends object>(value: T, its: readonly ArrayBuffer[]): T {
  buffers.set(value, its);
  return value;
}

/** The buffers that move with a value. */
export function handedOver(value: unknown): readonly ArrayBuffer[] {
  return (typeof value === 'object' && value !== null && buffers.get(value)) || [];
}
