/** Where the collection API is (contract 8.1). */
const COLLECTION = /^\/(v1|beacon\/v1|analytics\.js)\/|^\/sourceConfig$/;

/**
 * The URL of a request as the routes know it: real libraries send a slash at the end, or double ones. Only paths of the collection
 * API are taken so; of all others a proxy that keeps them inside compares what is written.
 */
export function collectionUrl(url: string): string {
  const search = url.indexOf('?');
  const path = search === -1 ? url : url.slice(0, search);
  if (!path.includes('//') && !path.endsWith('/')) return url;
  const plain = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return COLLECTION.test(plain) ? plain + url.slice(path.length) : url;
}
