/** Asks a SOCKS proxy for a connection (RFC 1928), with a user name and password (RFC 1929) if there are any. as x/net/internal/socks */
import { isIPv4, isIPv6 } from 'node:net';
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

/** Returns the bytes of an IPv6 address, as those of the groups of its URL form, which has no IPv4 in it. */
function ipv6Bytes(host: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${host.replace(/%.*$/, '')}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (text: string): number[] => (text === '' ? [] : text.split(':').map(group => parseInt(group, 16)));
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const groups = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(groups.flatMap(group => [group >> 8, group & 0xff]));
}

/** Returns a destination in the form of a request. A name is resolved by the proxy. */
function destination({ host, port }: Destination): Buffer {
  const portBytes = [port >> 8, port & 0xff];
  if (isIPv4(host)) return Buffer.from([ipv4, ...host.split('.').map(Number), ...portBytes]);
  if (isIPv6(host)) return Buffer.from([ipv6, ...ipv6Bytes(host), ...portBytes]);
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
