/** Reads the arguments of analytics.js: which ones a page may leave out, and their order. One function for each overload. */

export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a call, and the options that the page passed with it. */
export interface Arguments {
  readonly options: Fields;
  readonly [field: string]: unknown;
}

/** `(event, properties?, options?, callback?)`, or `({ event, properties }, options?, callback?)`. */
export function trackArguments([event, properties, options]: readonly unknown[]): Arguments {
  return isObject(event)
    ? { event: event['event'], properties: objectOf(event['properties']), options: objectOf(properties) }
    : { event, properties: objectOf(properties), options: objectOf(options) };
}

/**
 * `(category?, name?, properties?, options?, callback?)`. A single text is the name; an empty text counts as absent. A
 * single object is the properties.
 */
export function pageArguments(args: readonly unknown[]): Arguments {
  const [first, second] = args.filter((arg) => typeof arg === 'string');
  const [object = {}, other] = args.filter(isObject);
  const isOptions = other === undefined && args[3] === object;
  return {
    category: (second !== undefined && first) || null,
    name: (second ?? first) || null,
    properties: isOptions ? {} : object,
    options: isOptions ? object : objectOf(other),
  };
}

/** `(id?, traits?, options?, callback?)`. If the first argument is not an id, it is the traits. */
export function identityArguments(args: readonly unknown[]): Arguments & { id: string | null; traits: Fields } {
  const [first] = args;
  const hasId = first === undefined || first === null || isId(first);
  const [traits, options] = hasId ? args.slice(1) : args;
  return { id: isId(first) ? String(first) : null, traits: objectOf(traits), options: objectOf(options) };
}

/** `(to, from?, options?, callback?)`. */
export function aliasArguments(args: readonly unknown[], anonymousId: string): Arguments {
  const [userId, previousId = anonymousId] = args.filter(isId).map(String);
  return { userId, previousId, options: objectOf(args.find(isObject)) };
}

/** Ids are non-empty texts, and numbers. */
export function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isObject(value: unknown): value is Fields {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
