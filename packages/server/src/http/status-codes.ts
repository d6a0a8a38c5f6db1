/** The words of HTTP's statuses. An import would load everything that Node's module offers, its own `fetch` too, at each start. */
export const STATUS_CODES: Readonly<Record<number, string>> = process.getBuiltinModule('node:http')
  .STATUS_CODES as Readonly<Record<number, string>>;
