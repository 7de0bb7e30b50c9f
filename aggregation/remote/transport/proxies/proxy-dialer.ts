import net, { isIP, type Socket } from 'node:net';
import tls, { type SecureContext } from 'node:tls';
import { toBase64 } from '../../../../apimachinery/codec/base64.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import { connectTimeout, destroyed, TransportError } from '../transport-error.js';
import { Handshake, proxyFault } from './handshake.js';
import { connectThroughHttp, proxyHeaderLines } from './http-connect.js';
import type { Destination, Dialer, ProxyAccount } from './interface.js';
import { connectThroughSocks } from './socks5.js';

interface ProxyOptions {
  /** `http`, `https`, `socks5` or `socks5h`, with an account if the proxy wants one. */
  readonly url: string;
  /** Further headers for HTTP proxies. A value is a list with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** For proxies that are reached over HTTPS: their certificates are verified as those of the server. as net/http Transport */
  readonly tls: { readonly secureContext: SecureContext; readonly rejectUnauthorized: boolean };
  /** Milliseconds for the connection to the proxy and its answer. */
  readonly connectMs: number;
}

/** A proxy cannot be reached: `cause` says why, and `origin` where it was looked for. */
export class ProxyUnreachable extends TransportError {
  readonly origin: string;

  constructor(origin: string, cause: Error) {
    super('PROXY_UNREACHABLE', `proxyconnect tcp: ${cause.message}`, { cause });
    this.origin = origin;
  }
}

/** Milliseconds without data after which the system probes a connection. as undici */
const keepAliveMs = 60_000;

type Scheme = 'http:' | 'https:' | 'socks5:' | 'socks5h:';

const defaultPorts: Readonly<Record<Scheme, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

const isScheme = (protocol: string): protocol is Scheme => Object.hasOwn(defaultPorts, protocol);

/** Parses the URL of a proxy. Throws ExpectedError, whose message has no part of the URL, since that may contain a password. */
function parseProxy(text: string): {
  readonly url: URL;
  readonly scheme: Scheme;
  readonly account: ProxyAccount | undefined;
} {
  if (!URL.canParse(text)) throw new ExpectedError('the proxy URL is invalid');
  const url = new URL(text);
  const { protocol, hostname, username, password } = url;
  if (!isScheme(protocol)) throw new ExpectedError(`unsupported scheme "${protocol.slice(0, -1)}" of the proxy URL`);
  if (hostname === '') throw new ExpectedError('the proxy URL has no host');
  try {
    const account = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    return { url, scheme: protocol, account: username === '' ? undefined : account };
  } catch (error) {
    throw new ExpectedError('the account in the proxy URL is invalid', { cause: error });
  }
}

function linesOf(headers: ProxyOptions['headers'], account: ProxyAccount | undefined): string {
  if (!account) return proxyHeaderLines(headers);
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'proxy-authorization');
  const text = toBase64(`${account.username}:${account.password}`);
  return `Proxy-Authorization: Basic ${text}\r\n${proxyHeaderLines(Object.fromEntries(others))}`;
}

/** Opens connections through an HTTP or SOCKS proxy. */
export class ProxyDialer implements Dialer {
  readonly #scheme: Scheme;
  readonly #proxy: Destination;
  readonly #account: ProxyAccount | undefined;
  readonly #lines: string;
  readonly #options: ProxyOptions;
  /** The connections whose handshake is under way. */
  readonly #pending = new Set<Socket>();
  #isClosed = false;

  /** Throws an ExpectedError for a URL or headers that cannot be used. */
  constructor(options: ProxyOptions) {
    const { url, scheme, account } = parseProxy(options.url);
    this.#options = options;
    this.#scheme = scheme;
    this.#account = account;
    this.#proxy = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPorts[scheme] };
    this.#lines = linesOf(options.headers, account);
  }

  async dial(to: Destination): Promise<Socket> {
    if (this.#isClosed) throw destroyed();
    const { connectMs } = this.#options;
    const socket = this.#open();
    socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
    this.#pending.add(socket);
    const timer = setTimeout(() => socket.destroy(connectTimeout(this.#origin, connectMs)), connectMs);
    try {
      await this.#connected(socket);
      const handshake = new Handshake(socket);
      if (this.#scheme === 'http:' || this.#scheme === 'https:') await connectThroughHttp(handshake, to, this.#lines);
      else await this.#throughSocks(handshake, to);
      handshake.release();
      return socket;
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(socket);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#pending) socket.destroy(destroyed());
  }

  get #origin(): string {
    const { host, port } = this.#proxy;
    return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  }

  #open(): Socket {
    if (this.#scheme !== 'https:') return net.connect(this.#proxy);
    const { host } = this.#proxy;
    const name = isIP(host) === 0 ? { servername: host } : {};
    return tls.connect({ ...this.#options.tls, ...this.#proxy, ...name, ALPNProtocols: ['http/1.1'] });
  }

  #connected(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        const isOurs = (error as { code?: unknown }).code === 'UND_ERR_DESTROYED';
        reject(isOurs ? error : new ProxyUnreachable(this.#origin, error));
      };
      socket.once('error', failed);
      socket.once(this.#scheme === 'https:' ? 'secureConnect' : 'connect', () => {
        socket.off('error', failed);
        resolve();
      });
    });
  }

  async #throughSocks(handshake: Handshake, to: Destination): Promise<void> {
    try {
      await connectThroughSocks(handshake, to, this.#account);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw proxyFault(`socks connect tcp ${this.#origin}->${to.host}:${to.port}: ${text}`, { cause: error });
    }
  }
}
