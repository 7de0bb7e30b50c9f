/**
 * Serves port-forward over WebSocket: the client speaks SPDY/3.1 in the messages, and the kubelet outside of any. as
 * apiserver/pkg/util/proxy/streamtunnel.go
 */
import { pipeline } from 'node:stream/promises';
import { plainError } from '../../apimachinery/errors/status.js';
import { paced } from '../http/web-socket/paced-upgrade.js';
import { acceptWebSocket } from '../http/web-socket/web-socket.js';
import { WebSocketTunnel } from '../http/web-socket/tunnel.js';
import type { BackendRequest, Backends, ConnectRequest } from '../interface.js';

const prefix = 'SPDY/3.1+';

/** Returns the protocols inside SPDY among the subprotocols of a WebSocket. */
export const tunnelProtocols = (offered: readonly string[]): readonly string[] =>
  offered.filter(each => each.startsWith(prefix) && each.endsWith('k8s.io')).map(each => each.slice(prefix.length));

interface Tunneling {
  readonly to: BackendRequest;
  readonly backends: Backends;
  readonly protocols: readonly string[];
}

/** Resolves when one side has ended the connection. Rejects when the kubelet refuses it, before the WebSocket is accepted. */
export async function tunnelStreams(request: ConnectRequest, { to, backends, protocols }: Tunneling): Promise<void> {
  const { exchange, signal } = request;
  const headers = protocols.flatMap(protocol => ['X-Stream-Protocol-Version', protocol]);
  const answer = await backends.upgrade({ ...to, protocol: 'SPDY/3.1', headers }, signal).catch((error: unknown) => {
    throw plainError(`error dialing backend: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!answer.socket) {
    const type = { 'content-type': 'text/plain; charset=utf-8' };
    return exchange.respond(answer.status, { ...request.answerHeaders(), ...type }, Buffer.from(answer.body));
  }
  const { socket: kubelet } = answer;
  const end = (): void => void kubelet.destroy();
  kubelet.on('error', end);
  signal.addEventListener('abort', end);
  try {
    const upgrade = exchange.takeOver();
    if (!upgrade) return;
    const chosen = [answer.headers['x-stream-protocol-version'] ?? ''].flat()[0] ?? '';
    const protocol = chosen === '' ? '' : prefix + chosen;
    const tunnel = new WebSocketTunnel(await acceptWebSocket(paced(upgrade), protocol));
    await pipeline(kubelet, tunnel, kubelet).catch(() => undefined); // One side has broken the connection.
    tunnel.destroy();
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
