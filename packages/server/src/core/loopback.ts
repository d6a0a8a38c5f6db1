/** Whether a host, as a URL has it (without the brackets of IPv6), is written as this machine's own. */
export function isLoopbackHost(host: string): boolean {
  return /^(.+\.)?localhost$|^127(\.\d{1,3}){3}$|^::1$|^::ffff:7f[0-9a-f]{2}:/i.test(host);
}
