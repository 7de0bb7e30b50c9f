/** URLs, IP addresses and networks. as apiserver/pkg/cel/library urls.go, ip.go, cidr.go */
import {
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
} from '../../apimachinery/net/address-kinds.js';
import type { Steps } from '../../lib/steps.js';
import { goQuote } from '../../lib/go/go-text.js';
import {
  type GoUrl,
  escapedPath,
  parseGoUrl,
  queryParameters,
  requestUriError,
  splitHost,
} from '../../lib/go/go-url.js';
import {
  type IpAddress,
  type Cidr,
  cidrContains,
  formatIp,
  maskIp,
  parseCidr,
  parseIp,
} from '../../apimachinery/net/ip.js';
import { addressFault } from '../../apimachinery/net/ip-fault.js';
import * as cost from '../../lib/cel/cost-model.js';
import { type Library, countedFn, countedMethod, fn, method } from '../../lib/cel/function.js';
import { Opaque } from '../../lib/cel/opaque.js';
import * as t from '../../lib/cel/types.js';
import { CelError, type Value, listOf, celMapOf } from '../../lib/cel/values.js';

const fail = (text: string): never => {
  throw new CelError(text);
};

const walk = cost.traversal();

// --- URLs -------------------------------------------------------------------------------------------------------

const urlType = t.opaque('kubernetes.URL');
const urlOf = (value: Opaque): GoUrl => value.value as GoUrl;

const urlText = (u: GoUrl): string => JSON.stringify([u.scheme, u.user, u.host, u.path, u.rawQuery, u.fragment]);

function toUrl(steps: Steps, text: string): Opaque {
  steps.take(text.length);
  const wrong = requestUriError(text);
  const url = parseGoUrl(text);
  if (wrong !== undefined || 'error' in url)
    return fail(`URL parse error during conversion from string: ${wrong ?? ('error' in url ? url.error : '')}`);
  return new Opaque(urlType, url, (other, counted) => {
    counted.take(text.length);
    return urlText(url) === urlText(urlOf(other));
  });
}

function isUrl(steps: Steps, text: string): boolean {
  steps.take(text.length);
  return requestUriError(text) === undefined;
}

function urlQuery(steps: Steps, url: Opaque): Value {
  const { rawQuery } = urlOf(url);
  steps.take(4 * rawQuery.length);
  return celMapOf([...queryParameters(urlOf(url))].map(([name, values]) => [name, listOf(values)] as const));
}

function urlPath(steps: Steps, url: Opaque): string {
  steps.take(urlOf(url).path.length);
  return escapedPath(urlOf(url));
}

const urls: Library = [
  countedFn('string_to_url', 'url', [t.string], urlType, { call: toUrl, cost: walk }),
  countedFn('is_url_string', 'isURL', [t.string], t.bool, isUrl),
  method('url_get_scheme', 'getScheme', [urlType], t.string, (u: Opaque) => urlOf(u).scheme),
  method('url_get_host', 'getHost', [urlType], t.string, (u: Opaque) => urlOf(u).host),
  method('url_get_hostname', 'getHostname', [urlType], t.string, (u: Opaque) => splitHost(urlOf(u)).name),
  method('url_get_port', 'getPort', [urlType], t.string, (u: Opaque) => splitHost(urlOf(u)).port),
  countedMethod('url_get_escaped_path', 'getEscapedPath', [urlType], t.string, urlPath),
  countedMethod('url_get_query', 'getQuery', [urlType], t.map(t.string, t.list(t.string)), urlQuery),
];

// --- addresses --------------------------------------------------------------------------------------------------

const ipType = t.opaque('net.IP');
const address = (value: Opaque): IpAddress => value.value as IpAddress;
const sameBytes = (a: IpAddress, b: IpAddress): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
const mapped = (a: IpAddress): boolean =>
  a.length === 16 && sameBytes(a.slice(0, 12), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

const wrapIp = (a: IpAddress): Opaque => new Opaque(ipType, a, other => sameBytes(a, address(other)), a.length);

/** Parses an address, or returns the error. Zones and IPv4-mapped IPv6 addresses are refused. as parseIPAddr */
function readIp(text: string): IpAddress | { readonly error: string } {
  const [bare = '', zone] = text.split('%');
  const found = parseIp(zone === undefined ? text : bare);
  if (!found || zone === '')
    return { error: `IP Address ${goQuote(text)} parse error during conversion from string: ${addressFault(text)}` };
  if (zone !== undefined) return { error: `IP address ${goQuote(text)} with zone value is not allowed` };
  return mapped(found) ? { error: `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` } : found;
}

function mustIp(text: string): IpAddress {
  const found = readIp(text);
  return 'error' in found ? fail(found.error) : found;
}

const kinds: readonly (readonly [name: string, id: string, is: (a: IpAddress) => boolean])[] = [
  ['isUnspecified', 'ip_is_unspecified', isUnspecified],
  ['isLoopback', 'ip_is_loopback', isLoopback],
  ['isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast],
  ['isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast],
  ['isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast],
];

const addresses: Library = [
  fn('string_to_ip', 'ip', [t.string], ipType, { call: (s: string) => wrapIp(mustIp(s)), cost: walk }),
  fn('is_ip', 'isIP', [t.string], t.bool, { call: (s: string) => !('error' in readIp(s)), cost: walk }),
  fn('ip_is_canonical', 'ip.isCanonical', [t.string], t.bool, {
    call: (s: string) => formatIp(mustIp(s)) === s,
    cost: cost.traversal(2 * cost.perCharacter),
  }),
  method('ip_family', 'family', [ipType], t.int, (ip: Opaque) => (address(ip).length === 4 ? 4n : 6n)),
  ...kinds.map(([name, id, is]) => method(id, name, [ipType], t.bool, (ip: Opaque) => is(address(ip)))),
  fn('ip_to_string', 'string', [ipType], t.string, (ip: Opaque) => formatIp(address(ip))),
];

// --- networks ---------------------------------------------------------------------------------------------------

const cidrType = t.opaque('net.CIDR');
const network = (value: Opaque): Cidr => value.value as Cidr;

function wrapCidr(c: Cidr): Opaque {
  const same = (other: Cidr): boolean => c.bits === other.bits && sameBytes(c.address, other.address);
  return new Opaque(cidrType, c, other => same(network(other)), Math.ceil(c.bits / 8));
}

/** Returns the error for an invalid network. as Go's netip.ParsePrefix */
function prefixError(text: string): string {
  const slash = text.lastIndexOf('/');
  const head = `netip.ParsePrefix(${goQuote(text)})`;
  if (slash < 0) return `${head}: no '/'`;
  const [ip, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  if (ip.includes('%')) return `${head}: IPv6 zones cannot be present in a prefix`;
  if (!parseIp(ip)) return `${head}: ${addressFault(ip)}`;
  if (!/^(?:0|[1-9][0-9]*)$/.test(bits)) return `${head}: bad bits after slash: ${goQuote(bits)}`;
  return `${head}: prefix length out of range`;
}

function readCidr(text: string): Cidr | { readonly error: string } {
  const found = parseCidr(text);
  const head = 'network address parse error during conversion from string';
  if (!found) return { error: `${head}: ${prefixError(text)}` };
  return mapped(found.address) ? { error: `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed` } : found;
}

function mustCidr(text: string): Cidr {
  const found = readCidr(text);
  if ('error' in found) return fail(`network address parse error during conversion from string: ${found.error}`);
  return found;
}

const containsCidr = (c: Cidr, other: Cidr): boolean => c.bits <= other.bits && cidrContains(c, other.address);

const bytes = { min: 4, max: 16 };

/** Returns the cost of a comparison of bytes. `nested`: the argument is a network; `parses`: the argument is a text. */
function containing(nested: boolean, parses: boolean): cost.CallCost {
  const extra = nested ? 1 : 0;
  return {
    estimate: args => {
      let total = cost.factor(cost.plus(bytes, bytes), cost.perCharacter);
      if (nested) total = cost.plus(cost.plus(total, cost.factor(bytes, cost.perCharacter)), cost.fixedRange(extra));
      const text = cost.factor(args[1]?.size ?? cost.unknownSize, cost.perCharacter);
      return { cost: parses ? cost.plus(total, text) : total };
    },
    actual: (args, _result, size) => {
      const [networkSize, otherSize] = args.map(size) as [number, number];
      const nesting = nested ? Math.ceil(networkSize * cost.perCharacter) + extra : 0;
      const parsing = parses ? Math.ceil(otherSize * cost.perCharacter) : 0;
      return Math.ceil(2 * networkSize * cost.perCharacter) + nesting + parsing;
    },
  };
}

const networks: Library = [
  fn('string_to_cidr', 'cidr', [t.string], cidrType, { call: (s: string) => wrapCidr(mustCidr(s)), cost: walk }),
  fn('is_cidr', 'isCIDR', [t.string], t.bool, { call: (s: string) => !('error' in readCidr(s)), cost: walk }),
  method('cidr_contains_ip_string', 'containsIP', [cidrType, t.string], t.bool, {
    call: (c: Opaque, s: string) => cidrContains(network(c), mustIp(s)),
    cost: containing(false, true),
  }),
  method('cidr_contains_ip_ip', 'containsIP', [cidrType, ipType], t.bool, {
    call: (c: Opaque, ip: Opaque) => cidrContains(network(c), address(ip)),
    cost: containing(false, false),
  }),
  method('cidr_contains_cidr_string', 'containsCIDR', [cidrType, t.string], t.bool, {
    call: (c: Opaque, s: string) => containsCidr(network(c), mustCidr(s)),
    cost: containing(true, true),
  }),
  method('cidr_contains_cidr', 'containsCIDR', [cidrType, cidrType], t.bool, {
    call: (c: Opaque, other: Opaque) => containsCidr(network(c), network(other)),
    cost: containing(true, false),
  }),
  method('cidr_ip', 'ip', [cidrType], ipType, (c: Opaque) => wrapIp(network(c).address)),
  method('cidr_prefix_length', 'prefixLength', [cidrType], t.int, (c: Opaque) => BigInt(network(c).bits)),
  method('cidr_masked', 'masked', [cidrType], cidrType, (c: Opaque) => {
    const { address: a, bits } = network(c);
    return wrapCidr({ address: maskIp(a, bits), bits });
  }),
  fn('cidr_to_string', 'string', [cidrType], t.string, (c: Opaque) => {
    const { address: a, bits } = network(c);
    return `${formatIp(a)}/${bits}`;
  }),
];

export const networkLibrary: Library = [...urls, ...addresses, ...networks];

/** The types of addresses and networks, which are variables of expressions. */
export const networkTypes: Readonly<Record<string, t.Type>> = { 'net.IP': ipType, 'net.CIDR': cidrType };
