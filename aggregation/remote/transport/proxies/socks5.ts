/** Asks a SOCKS proxy for a connection (RFC 1928), with a user name and password (RFC 1929) if there are any. as x/net/internal/socks */
import { isIPv6 } from 'node:net';
import { parseIp } from '../../../../apimachinery/net/ip.js';
import { type Handshake, proxyFault } from './handshake.js';
import type { Destination, ProxyAccount } from './interface.js';

const version = 5;
const noAuthentication = 0;
const usernamePassword = 2;
const noAcceptableMethods = 0xff;
const ipv4 = 1;
const name = 3;
const ipv6 = 4;

const replies: readonly string[] = [
  'succeeded',
  'general SOCKS server failure',
  'connection not allowed by ruleset',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];

/** Returns a destination in the form of a request, in which an IPv6 address has no zone. A name is resolved by the proxy. */
function destination({ host, port }: Destination): Buffer {
  const portBytes = [port >> 8, port & 0xff];
  const address = parseIp(isIPv6(host) ? host.replace(/%.*$/, '') : host);
  if (address) return Buffer.from([address.length === 4 ? ipv4 : ipv6, ...address, ...portBytes]);
  const text = Buffer.from(host);
  if (text.length > 255) throw proxyFault('FQDN too long');
  return Buffer.from([name, text.length, ...text, ...portBytes]);
}

async function authenticate(handshake: Handshake, { username, password }: ProxyAccount): Promise<void> {
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255) throw proxyFault('invalid username/password');
  handshake.send(Buffer.from([1, user.length, ...user, secret.length, ...secret]));
  const [ofVersion, status] = await handshake.bytes(2);
  if (ofVersion !== 1) throw proxyFault('invalid username/password version');
  if (status !== 0) throw proxyFault('username/password authentication failed');
}

async function chooseMethod(handshake: Handshake, account: ProxyAccount | undefined): Promise<void> {
  const methods = account ? [noAuthentication, usernamePassword] : [noAuthentication];
  handshake.send(Buffer.from([version, methods.length, ...methods]));
  const [ofVersion, method = noAcceptableMethods] = await handshake.bytes(2);
  if (ofVersion !== version) throw proxyFault(`unexpected protocol version ${ofVersion}`);
  if (method === noAcceptableMethods) throw proxyFault('no acceptable authentication methods');
  if (method === usernamePassword && account) return authenticate(handshake, account);
  if (method !== noAuthentication) throw proxyFault(`unsupported authentication method ${method}`);
}

/** Asks for a connection. Resolves when it is open; rejects if the proxy refuses it. */
export async function connectThroughSocks(
  handshake: Handshake,
  to: Destination,
  account: ProxyAccount | undefined,
): Promise<void> {
  const target = destination(to);
  await chooseMethod(handshake, account);
  handshake.send(Buffer.concat([Buffer.from([version, 1, 0]), target]));
  const [ofVersion, reply = 0, reserved, type] = await handshake.bytes(4);
  if (ofVersion !== version) throw proxyFault(`unexpected protocol version ${ofVersion}`);
  if (reply !== 0) throw proxyFault(`unknown error ${replies[reply] ?? `unknown code: ${reply}`}`);
  if (reserved !== 0) throw proxyFault('non-zero reserved field');
  // The address that the proxy connects from is not used.
  if (type === ipv4) await handshake.bytes(4 + 2);
  else if (type === ipv6) await handshake.bytes(16 + 2);
  else if (type === name) await handshake.bytes(((await handshake.bytes(1))[0] ?? 0) + 2);
  else throw proxyFault(`unknown address type ${type}`);
}
