/** Serves Karmada's estimator over gRPC. */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { WireError } from '../../../lib/protobuf/reader.js';
import { type EstimatorMethod, maxEstimatorMessageBytes, objectMetadata, methodPath } from '../protocol/service.js';
import { type Grpc, type GrpcServer, loadGrpc, type UnaryCall, type UnaryCallback } from './load.js';

/** PEM. */
export interface ServerTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The authority of the clients' certificates; absent: clients need none. */
  readonly clientCa?: Buffer | undefined;
}

/** A call, beside its message. */
export interface CallContext {
  /** The object for which the scheduler asks, for logs; '' if it does not say. */
  readonly object: string;
  /** Aborts when the client has cancelled the call, or its deadline has passed. */
  readonly signal: AbortSignal;
}

export type EstimatorHandler = (message: Buffer, context: CallContext) => Promise<Buffer>;

interface GrpcServerOptions {
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain TCP. */
  readonly tls?: ServerTls | undefined;
  /** A rejection is answered with its message. */
  readonly handlers: Readonly<Record<EstimatorMethod, EstimatorHandler>>;
}

export interface RunningGrpcServer {
  readonly port: number;
  /** Ends after the calls in progress, at the latest after some seconds. */
  close(): Promise<void>;
}

/** Maximum number of connections, and of calls on one of them. A scheduler has one connection. */
const maxConnections = 64;
const maxCalls = 100;
/** Milliseconds for which calls in progress may continue when the server closes. */
const graceMs = 5_000;
/** Milliseconds for a TLS handshake. */
const handshakeMs = 10_000;

const same = (bytes: Buffer): Buffer => bytes;

function listenerFor(settings: ServerTls | undefined, onConnection: (socket: net.Socket) => void): net.Server {
  if (!settings) return net.createServer(onConnection);
  const { cert, key, clientCa } = settings;
  const verifies = clientCa !== undefined;
  return tls.createServer(
    {
      ...{ cert, key, minVersion: 'TLSv1.3', ALPNProtocols: ['h2'], handshakeTimeout: handshakeMs },
      ...(verifies && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
    },
    onConnection,
  );
}

/** Returns the status of a failed call. as google.golang.org/grpc: Unknown for an error without a status */
function statusOf({ status }: Grpc, error: unknown): { readonly code: number; readonly details: string } {
  const details = error instanceof Error ? error.message : String(error);
  return { code: error instanceof WireError ? status.INTERNAL : status.UNKNOWN, details };
}

function implementationOf(grpc: Grpc, handle: EstimatorHandler) {
  return (call: UnaryCall, callback: UnaryCallback): void => {
    const cancelled = new AbortController();
    call.once('cancelled', () => cancelled.abort());
    const [object = ''] = call.metadata.get(objectMetadata);
    const context = { object: object.toString(), signal: cancelled.signal };
    handle(call.request, context).then(
      answer => callback(null, answer),
      (error: unknown) => callback(statusOf(grpc, error)),
    );
  };
}

function addHandlers(grpc: Grpc, server: GrpcServer, handlers: GrpcServerOptions['handlers']): void {
  const methods = Object.keys(handlers) as EstimatorMethod[];
  const definition = Object.fromEntries(
    methods.map(method => [
      method,
      {
        ...{ path: methodPath(method), requestStream: false, responseStream: false },
        ...{ requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same },
      },
    ]),
  );
  server.addService(
    definition,
    Object.fromEntries(methods.map(method => [method, implementationOf(grpc, handlers[method])])),
  );
}

/** Ends the calls in progress, and then the connections. */
function shutDown(server: GrpcServer): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Serves gRPC on a port; resolves when it listens. Rejects if the port is not free, or if a certificate is malformed. */
export async function serveGrpc({
  host,
  port,
  tls: settings,
  handlers,
}: GrpcServerOptions): Promise<RunningGrpcServer> {
  const grpc = await loadGrpc();
  const server = new grpc.Server({
    'grpc.max_receive_message_length': maxEstimatorMessageBytes,
    'grpc.max_concurrent_streams': maxCalls,
    'grpc.enable_channelz': 0,
  });
  addHandlers(grpc, server, handlers);
  // Connections are accepted here: the package can neither require TLS 1.3 nor limit their number.
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const listener = listenerFor(settings, socket => {
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // the session reports it
    injector.injectConnection(socket);
  });
  listener.maxConnections = maxConnections;
  listener.listen(port, host);
  await once(listener, 'listening');
  return {
    port: (listener.address() as net.AddressInfo).port,
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      await shutDown(server);
      await closed;
    },
  };
}
