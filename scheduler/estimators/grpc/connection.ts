import { ExpectedError } from '../../../lib/logging/cause.js';
import { type EstimatorMethod, objectMetadata, methodPath } from '../protocol/service.js';
import { type ChannelCredentials, type Grpc, type GrpcClient, loadGrpc, type ServiceError } from './load.js';
import { pacedCredentials } from './paced-credentials.js';
import { ReceiveAllowance } from './receive-allowance.js';

/** PEM. */
export interface ClientTls {
  /** The authority of the servers' certificates; absent: those that Node.js knows. */
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Any certificate of the server is accepted. */
  readonly insecureSkipVerify?: boolean;
}

interface CallOptions {
  /** The object for which the scheduler asks, for logs of the server. */
  readonly object: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A call failed. */
export class EstimatorCallError extends ExpectedError {
  /** The server has not answered in time. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

const same = (bytes: Buffer): Buffer => bytes;

/** Maximum size of an answer in bytes: it is a number. */
const maxAnswerBytes = 16 * 1024;
const unwantedMessage = 'the connection is not wanted any more';
/** Milliseconds between two attempts to connect while a connection is opened: at least, and at most. */
const minBackoffMs = 1_000;
const maxBackoffMs = 30_000;

/** A connection to the estimator of one cluster. It is not opened again when it is lost. */
export class EstimatorConnection {
  readonly #address: string;
  readonly #grpc: Grpc;
  readonly #client: GrpcClient;
  readonly #allowance: ReceiveAllowance;
  readonly #lost = new AbortController();

  private constructor(address: string, grpc: Grpc, client: GrpcClient, allowance: ReceiveAllowance) {
    this.#address = address;
    this.#grpc = grpc;
    this.#client = client;
    this.#allowance = allowance;
    this.#followState();
  }

  /** Aborts when the connection is lost; the reason is the error. It does not abort after `close`. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the server was disconnected because it has sent more than it was asked for. */
  get hasFlooded(): boolean {
    return this.#allowance.isExceeded;
  }

  /** Connects to `HOST:PORT`, without TLS if no settings are given. Rejects if that takes too long, or when the signal aborts. */
  static async open(
    address: string,
    settings: ClientTls | undefined,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<EstimatorConnection> {
    const grpc = await loadGrpc();
    const allowance = new ReceiveAllowance();
    const client = new grpc.Client(address, pacedCredentials(credentialsOf(grpc, settings), allowance), {
      'grpc.max_receive_message_length': maxAnswerBytes,
      'grpc.initial_reconnect_backoff_ms': minBackoffMs,
      'grpc.max_reconnect_backoff_ms': maxBackoffMs,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
      'grpc.enable_retries': 0,
      'grpc.service_config_disable_resolution': 1,
    });
    let cancel = (): void => undefined;
    try {
      if (signal?.aborted) throw new ExpectedError(unwantedMessage);
      await new Promise<void>((resolve, reject) => {
        // A client that is closed waits on until its time is over.
        cancel = () => reject(new ExpectedError(unwantedMessage));
        signal?.addEventListener('abort', cancel, { once: true });
        client.waitForReady(Date.now() + timeoutMs, error => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      client.close();
      throw new ExpectedError(`the estimator at ${address} does not answer`, { cause: error });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
    return new EstimatorConnection(address, grpc, client, allowance);
  }

  /** Rejects with a EstimatorCallError. */
  call(method: EstimatorMethod, message: Buffer, { object, timeoutMs, signal }: CallOptions): Promise<Buffer> {
    const { Metadata, status } = this.#grpc;
    const metadata = new Metadata();
    // Metadata are ASCII, names of objects are, too. Anything else is left out rather than refused.
    if (/^[\x20-\x7e]+$/.test(object)) metadata.set(objectMetadata, object);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new EstimatorCallError('the call was cancelled', false));
      const cancel = (): void => call.cancel();
      const end = (error: ServiceError | null, answer?: Buffer): void => {
        signal.removeEventListener('abort', cancel);
        this.#allowance.callEnds();
        if (answer && !error) resolve(answer);
        else
          reject(
            new EstimatorCallError(error?.details ?? 'there is no answer', error?.code === status.DEADLINE_EXCEEDED),
          );
      };
      const deadline = Date.now() + timeoutMs;
      this.#allowance.callBegins();
      const call = this.#client.makeUnaryRequest(methodPath(method), same, same, message, metadata, { deadline }, end);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Calls in progress are answered. */
  close(): void {
    this.#client.close();
  }

  #followState(): void {
    const { connectivityState: states } = this.#grpc;
    const channel = this.#client.getChannel();
    // Asking with `true` would open a lost connection again.
    const state = channel.getConnectivityState(false);
    if (state === states.SHUTDOWN) return;
    if (state === states.READY) channel.watchConnectivityState(state, Infinity, () => this.#followState());
    else this.#lost.abort(this.#lossError());
  }

  #lossError(): ExpectedError {
    const what = `the estimator at ${this.#address}`;
    return new ExpectedError(
      this.hasFlooded ? `${what} sends more than it was asked for` : `the connection to ${what} is lost`,
    );
  }
}

function credentialsOf({ credentials }: Grpc, settings: ClientTls | undefined): ChannelCredentials {
  if (!settings) return credentials.createInsecure();
  const { ca = null, cert = null, key = null, insecureSkipVerify = false } = settings;
  return credentials.createSsl(ca, key, cert, { rejectUnauthorized: !insecureSkipVerify });
}
