import { isObject, type JsonObject } from './json.ts';

/** Reads the property of exactly this name; where there is none, the value to which the names between the dots lead. */
export function propertyReader(path: string): (properties: JsonObject) => unknown {
  const names = path.split('.');
  return (properties) => {
    if (Object.hasOwn(properties, path)) return properties[path];
    let value: unknown = properties;
    for (const name of names) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
      value = value[name];
    }
    return value;
  };
}
