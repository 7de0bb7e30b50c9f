import net from 'node:net';
import os from 'node:os';

const unspecified = new net.BlockList();
unspecified.addAddress('0.0.0.0');
unspecified.addAddress('::', 'ipv6');

const family = (host: string): 'ipv4' | 'ipv6' => (net.isIPv6(host) ? 'ipv6' : 'ipv4');

/**
 * Returns the host under which clients reach a server that listens on `host`: the same host; for an unspecified address, the first address of
 * the machine that others can reach, IPv4 before IPv6; on a machine without network, the loopback address.
 */
// as k8s.io/apimachinery util/net ResolveBindAddress; differs: a loopback address is kept, so that a server on it needs no network
export function advertisedHost(host: string, interfaces = os.networkInterfaces()): string {
  if (net.isIP(host) === 0 || !unspecified.check(host, family(host))) return host;
  const reachable = Object.values(interfaces)
    .flatMap(addresses => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid) // a link-local address works only with the name of its interface
    .map(({ address }) => address);
  const takes = (address: string): boolean => net.isIPv4(address) || net.isIPv6(host);
  const [best = net.isIPv6(host) ? '::1' : '127.0.0.1'] = reachable
    .filter(takes)
    .sort((a, b) => net.isIP(a) - net.isIP(b));
  return best;
}
