/** Serves exec and attach over WebSocket for kubelets that speak SPDY/3.1. as apiserver/pkg/util/proxy/streamtranslator.go */
import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { Status } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { internal, StatusError } from '../../apimachinery/errors/status.js';
import { goQuote } from '../../lib/go/go-text.js';
import { jsonText } from '../../lib/json/json.js';
import { SpdySession } from '../../lib/spdy/session.js';
import type { SpdyStream } from '../../lib/spdy/stream.js';
import { channels, closingProtocol, statusProtocol, WebSocketChannels } from '../http/web-socket/channels.js';
import type { BackendRequest, Backends, ConnectRequest } from '../interface.js';

/** Bytes of the Status that a kubelet sends at the end. */
const maxStatusBytes = 256 * 1024;

/** as apimachinery/pkg/util/remotecommand NonZeroExitCodeReason */
const nonZeroExitCode = 'NonZeroExitCode';

type Wanted = Readonly<Record<'stdin' | 'stdout' | 'stderr' | 'tty', boolean>>;

/** Reads a stream of limited size to its end. */
async function readAll(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxStatusBytes) throw new Error('the status of the command is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The Status as kube-apiserver writes it here: without kind and version. */
const succeeded = { metadata: {}, status: 'Success' };

/** Returns the Status for the client from that of the kubelet. Throws an Error for what is none. as client-go/tools/remotecommand/v4.go */
function readStatus(text: string): object {
  if (text === '') return succeeded;
  let given: Partial<Status> | null;
  try {
    given = JSON.parse(text) as Partial<Status> | null;
  } catch (error) {
    throw new Error(`error stream protocol error: ${errorText(error)} in ${goQuote(text)}`, { cause: error });
  }
  if (given?.status === 'Success') return succeeded;
  if (given?.status !== 'Failure') throw new Error('error stream protocol error: unknown error');
  if (given.reason !== nonZeroExitCode) throw new Error(given.message ?? '');
  if (!given.details) throw new Error('error stream protocol error: details must be set');
  const code = given.details.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (code === undefined) throw new Error('error stream protocol error: no ExitCode cause given');
  if (!/^\d{1,3}$/.test(code)) throw new Error(`error stream protocol error: invalid exit code value ${goQuote(code)}`);
  return {
    ...{ metadata: {}, status: 'Failure' },
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: nonZeroExitCode,
    details: { causes: [{ reason: 'ExitCode', message: code }] },
  };
}

/**
 * Copies a stream to its end. A broken connection ends the copy without an error after all that has arrived: the status tells what has happened.
 */
async function copy(from: Readable, to: Writable): Promise<void> {
  from.pipe(to, { end: false });
  const reading = finished(from, { writable: false }).catch(() => undefined);
  void reading.then(() => to.end());
  await finished(to).catch(() => from.destroy());
}

/** Passes the streams of a client to a kubelet, and back, until the command has ended. */
class StreamTranslation {
  readonly #client: WebSocketChannels;
  readonly #session: SpdySession;
  readonly #wanted: Wanted;

  constructor(client: WebSocketChannels, session: SpdySession, wanted: Wanted) {
    this.#client = client;
    this.#session = session;
    this.#wanted = wanted;
  }

  /** Resolves with the Status of the command. */
  async run(stdin: Readable, resize: Readable): Promise<object> {
    const { stdin: hasInput, stdout, stderr, tty } = this.#wanted;
    const open = (streamType: string): SpdyStream => this.#session.open({ streamType });
    const error = open('error');
    const input = hasInput ? open('stdin') : undefined;
    const output = stdout ? open('stdout') : undefined;
    // A terminal has one output.
    const errors = stderr && !tty ? open('stderr') : undefined;
    const sizes = tty ? open('resize') : undefined;
    const opened = [error, input, output, errors, sizes].filter(stream => stream !== undefined);
    // spdystream drops data of streams that it has not accepted yet.
    await Promise.all(opened.map(stream => stream.accepted));
    if (input) void pipeline(stdin, input).catch(() => undefined);
    else stdin.resume();
    if (sizes) void pipeline(resize, sizes).catch(() => undefined);
    else resize.resume();
    const outputs: Promise<void>[] = [];
    if (output) outputs.push(copy(output, this.#client.writer(channels.stdout)));
    if (errors) outputs.push(copy(errors, this.#client.writer(channels.stderr)));
    const status = readAll(error);
    status.catch(() => undefined);
    await Promise.all(outputs);
    // differs: kube-apiserver reports success when the connection breaks
    return readStatus(
      await status.catch((cause: unknown) => {
        throw new Error(`error reading from error stream: ${errorText(cause)}`, { cause });
      }),
    );
  }
}

async function openSession(to: BackendRequest, backends: Backends, signal: AbortSignal): Promise<SpdySession> {
  const url = `${to.origin}${to.path}${to.query === '' ? '' : `?${to.query}`}`;
  const headers = ['X-Stream-Protocol-Version', statusProtocol];
  const answer = await backends.upgrade({ ...to, protocol: 'SPDY/3.1', headers }, signal).catch((error: unknown) => {
    throw new Error(`error sending request: Post ${goQuote(url)}: ${errorText(error)}`, { cause: error });
  });
  if (!answer.socket) throw new Error(`unable to upgrade connection: ${answer.body}`);
  return new SpdySession(answer.socket, Buffer.alloc(0), { isServer: false, maxStreams: 0 });
}

/** Resolves when the command has ended, or a side is gone. Failures after the upgrade are reported in the WebSocket. */
export async function translateStreams(
  { exchange, signal }: ConnectRequest,
  to: BackendRequest,
  backends: Backends,
): Promise<void> {
  const params = new URLSearchParams(to.query);
  const wanted = {
    stdin: params.has('input'),
    stdout: params.has('output'),
    stderr: params.has('error'),
    tty: params.has('tty'),
  };
  const upgrade = exchange.takeOver();
  if (!upgrade) return;
  const client = await WebSocketChannels.accept(upgrade, closingProtocol);
  const gone = new AbortController();
  const stdin = client.reader(channels.stdin);
  const resize = client.reader(channels.resize);
  void client.closed.then(() => gone.abort(new Error('the client is gone')));
  const ending = AbortSignal.any([signal, gone.signal]);
  // Clients wait for the first message before they send anything.
  client.send(channels.stdout, Buffer.alloc(0));
  let session: SpdySession | undefined;
  const end = (): void => session?.destroy();
  ending.addEventListener('abort', end);
  let status: object;
  try {
    session = await openSession(to, backends, ending);
    if (ending.aborted) end();
    status = await new StreamTranslation(client, session, wanted).run(stdin, resize);
  } catch (error) {
    status = error instanceof StatusError ? error.status : internal(errorText(error)).status;
  } finally {
    ending.removeEventListener('abort', end);
    session?.close();
  }
  client.send(channels.error, Buffer.from(jsonText(status)));
  client.close();
  await client.closed;
}
