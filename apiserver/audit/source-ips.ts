import net from 'node:net';

/** `::ffff:1.2.3.4` is 1.2.3.4; undefined for what is no address. */
function address(text: string): string | undefined {
  const plain = text.trim().replace(/^::ffff:(?=\d+\.)/i, '');
  return net.isIP(plain) === 0 ? undefined : plain;
}

/** Where a request came from: what proxies say, the far end of the connection last. as apimachinery/pkg/util/net/http.go SourceIPs */
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
