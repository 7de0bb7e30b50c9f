import net from 'node:net';

/** Returns an IP address, `::ffff:1.2.3.4` as 1.2.3.4; undefined for other texts. */
function address(text: string): string | undefined {
  const plain = text.trim().replace(/^::ffff:(?=\d+\.)/i, '');
  return net.isIP(plain) === 0 ? undefined : plain;
}

/**
 * Returns the addresses that a request came from: those in the headers of proxies, then the other end of the connection. as
 * apimachinery/pkg/util/net/http.go SourceIPs
 */
export function sourceIPs(forwardedFor: string | undefined, realIp: string | undefined, remote: string): string[] {
  const found = (forwardedFor ?? '')
    .split(',')
    .map(address)
    .filter(ip => ip !== undefined);
  const real = address(realIp ?? '');
  if (real !== undefined && !found.includes(real)) found.push(real);
  const last = address(remote);
  if (last !== undefined && found.at(-1) !== last) found.push(last);
  return found;
}
