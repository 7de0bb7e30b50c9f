import type { Socket } from 'node:net';
import type tls from 'node:tls';
import { networkOf } from './peer.js';

/** Certificates of a client in its handshake. Chains of users have two or three. */
const maxChain = 10;
/** Bytes of a connection up to which its chain is not counted. There are more if the first request was read together with the end of the handshake. */
const shortHandshakeBytes = 8 * 1024;
/** Bytes of a handshake that has failed, which no request follows. */
const maxFailedBytes = 16 * 1024;
/** Milliseconds for which new connections of a network wait after the first long chain; after further ones twice as long each. */
const firstWaitMs = 1000;
const maxWaitMs = 8000;
/** Milliseconds without a long chain after which those of a network are forgotten. */
const forgottenAfterMs = 60_000;
/** Connections of one network that may wait. */
const maxWaiting = 64;
/** Networks whose long chains are remembered. The oldest one is forgotten for a further one. */
const maxNetworks = 1024;

/** Reports whether the client has sent a chain of more certificates than anybody needs. Takes time for each of `maxChain` at most. */
function hasLongChain(handshake: tls.TLSSocket): boolean {
  let certificate = handshake.getPeerX509Certificate();
  for (let i = 0; i < maxChain && certificate; i++) certificate = certificate.issuerCertificate;
  return certificate !== undefined;
}

/** A network from which a long chain of certificates has come. */
interface Suspect {
  readonly waitMs: number;
  /** The end of the wait, by the clock. */
  readonly until: number;
  readonly waiting: Set<Socket>;
  readonly timer: NodeJS.Timeout;
}

interface HandshakesOptions {
  /** Begins a handshake. `succeeded` or `failed` is called at its end. */
  readonly begin: (socket: Socket) => void;
  /** Called with the address of a client that has sent a long chain, if its network had sent none in the last minute. */
  readonly onLongChain?: ((address: string) => void) | undefined;
}

/**
 * The handshakes of a port. OpenSSL verifies the chain of certificates of a client, of up to 100 KiB, before the server learns about it. That holds the
 * event loop for up to half a second, and Node.js has no setting for the length of a chain. So a network from which a long one comes gets no further
 * handshake for some seconds: its other handshakes are aborted, and its new connections wait. All others are served as before.
 */
export class Handshakes {
  readonly #options: HandshakesOptions;
  /** Connections whose handshakes have begun, by network. */
  readonly #begun = new Map<string, Set<Socket>>();
  /** The addresses of these connections, which sockets forget when they are closed. */
  readonly #addresses = new WeakMap<Socket, string>();
  /** In the order of their last long chains. */
  readonly #suspects = new Map<string, Suspect>();

  constructor(options: HandshakesOptions) {
    this.#options = options;
  }

  /** Begins the handshake of a connection, or lets it wait. Nothing may have been read of it. */
  add(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    const suspect = this.#suspects.get(network);
    if (!suspect || suspect.until <= performance.now()) return this.#begin(socket, network);
    const { waiting } = suspect;
    if (waiting.size >= maxWaiting) return void socket.destroy();
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
  }

  /** Takes note of the end of the handshake of a connection. Returns false if its chain was too long: then it is to be closed. */
  succeeded(socket: Socket, handshake: tls.TLSSocket): boolean {
    const isLong = socket.bytesRead > shortHandshakeBytes && hasLongChain(handshake);
    this.#ended(socket, isLong);
    return !isLong;
  }

  /** Takes note of a handshake that has failed, perhaps after a long chain of certificates was verified. */
  failed(socket: Socket): void {
    this.#ended(socket, socket.bytesRead > maxFailedBytes);
  }

  /** Closes the connections that wait. */
  close(): void {
    for (const { waiting, timer } of this.#suspects.values()) {
      clearTimeout(timer);
      for (const socket of waiting) socket.destroy();
    }
    this.#suspects.clear();
  }

  #ended(socket: Socket, isLong: boolean): void {
    const address = this.#addresses.get(socket) ?? '';
    const network = networkOf(address);
    this.#forget(socket, network);
    if (isLong) this.#suspect(network, address);
  }

  #begin(socket: Socket, network: string): void {
    if (socket.destroyed) return;
    let begun = this.#begun.get(network);
    if (!begun) this.#begun.set(network, (begun = new Set()));
    begun.add(socket);
    this.#addresses.set(socket, socket.remoteAddress ?? '');
    socket.once('close', () => this.#forget(socket, network));
    this.#options.begin(socket);
  }

  #forget(socket: Socket, network: string): void {
    const begun = this.#begun.get(network);
    begun?.delete(socket);
    if (begun?.size === 0) this.#begun.delete(network);
  }

  #suspect(network: string, address: string): void {
    const before = this.#suspects.get(network);
    if (before) clearTimeout(before.timer);
    else this.#options.onLongChain?.(address);
    const waitMs = before ? Math.min(2 * before.waitMs, maxWaitMs) : firstWaitMs;
    const waiting = before?.waiting ?? new Set<Socket>();
    const timer = setTimeout(() => this.#resume(network, waiting), waitMs).unref();
    this.#suspects.delete(network);
    this.#suspects.set(network, { waitMs, until: performance.now() + waitMs, waiting, timer });
    for (const socket of this.#begun.get(network) ?? []) socket.destroy();
    if (this.#suspects.size <= maxNetworks) return;
    const [oldest] = this.#suspects.keys();
    if (oldest !== undefined) this.#release(oldest);
  }

  /** Begins the handshakes that wait. The network stays known for a while. */
  #resume(network: string, waiting: Set<Socket>): void {
    const suspect = this.#suspects.get(network);
    if (!suspect) return;
    const timer = setTimeout(() => this.#release(network), forgottenAfterMs).unref();
    this.#suspects.set(network, { ...suspect, timer });
    const resumed = [...waiting];
    waiting.clear();
    for (const socket of resumed) this.#begin(socket, network);
  }

  #release(network: string): void {
    const suspect = this.#suspects.get(network);
    if (!suspect) return;
    clearTimeout(suspect.timer);
    this.#suspects.delete(network);
    for (const socket of suspect.waiting) this.#begin(socket, network);
  }
}
