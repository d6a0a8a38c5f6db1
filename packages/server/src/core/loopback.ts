/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** Whether the host of a URL (an IPv6 address without its brackets) names this machine itself. */
export function isLoopbackHost(host: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^::1$|^::ffff:7f[0-9a-f]{2}:/i.test(host);
}
