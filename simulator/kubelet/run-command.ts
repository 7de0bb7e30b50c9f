import type { Readable } from 'node:stream';
import { PassThrough, Writable } from 'node:stream';
import { internal } from '../../apimachinery/errors/status.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Clock } from '../../lib/clock.js';
import type { Pod } from '../../openapi/gen/core-v1.js';
import type { Containers } from './containers.js';
import type { Command, TerminalSize } from './process.js';
import type { RemoteStreams } from './remote-streams.js';
import { containerCommands } from './shell.js';
import { Terminal } from './terminal.js';

/** The exit code after Ctrl-C. */
const interrupted = 130;
/** Bytes of one size of a terminal. */
const maxSizeBytes = 4096;

/** Returns the Status of an exit code. as k8s.io/streaming remotecommand ServeExec */
function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  return {
    ...{ metadata: {}, status: 'Failure' },
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** Calls back with each size of the terminal until the stream ends. */
async function readSizes(stream: Readable, onSize: (size: TerminalSize) => void): Promise<void> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    text += chunk.toString();
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const { Width: width = 0, Height: height = 0 } = JSON.parse(text.slice(0, end + 1)) as Record<string, number>;
      text = text.slice(end + 1);
      onSize({ width, height });
    }
    if (text.length > maxSizeBytes) return;
  }
}

/** A container's name and what it runs. */
interface Execution {
  readonly pod: Pod;
  readonly container: string;
  readonly words: readonly string[];
  readonly tty: boolean;
}

export type EndContainer = (pod: Pod, container: string, exitCode: number) => Promise<void>;

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Runs commands in the containers of a member, and serves attach. */
export class CommandRunner {
  readonly #containers: Containers;
  readonly #clock: Clock;
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #endContainer: EndContainer;

  /** `endContainer` is called when the command that a container reads its standard input for has ended. */
  constructor(containers: Containers, clock: Clock, endContainer: EndContainer) {
    this.#containers = containers;
    this.#clock = clock;
    this.#endContainer = endContainer;
    this.#commands = containerCommands(clock);
  }

  /** Resolves when the command has ended, and its Status is sent. `onEnd` is called before that. */
  async run(
    { pod, container, words, tty }: Execution,
    streams: RemoteStreams,
    onEnd: (code: number) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const name = words[0]?.replace(/^(?:\/usr)?\/bin\//, '') ?? '';
    const command = this.#commands.get(name);
    if (!command) {
      const text = `exec: ${JSON.stringify(name)}: executable file not found in $PATH`;
      return streams.finish(internal(`error executing command in container: ${text}`).status);
    }
    const stopping = new AbortController();
    const signal = AbortSignal.any([streams.gone, stopping.signal]);
    let size: TerminalSize | undefined = tty ? { width: 80, height: 24 } : undefined;
    if (streams.resize) void readSizes(streams.resize, next => (size = next)).catch(() => undefined);
    const stdout = streams.stdout ?? nowhere();
    const terminal = tty ? new Terminal(streams.stdin, stdout, () => stopping.abort()) : undefined;
    const none = new PassThrough();
    none.end();
    const process = {
      ...{
        args: words,
        environment: environmentOf(pod, container),
        files: this.#containers.state(pod, container).files,
      },
      ...{ folder: '/', stdin: terminal?.input ?? streams.stdin ?? none, stdout: terminal?.output ?? stdout },
      ...{ stderr: terminal?.output ?? streams.stderr ?? nowhere(), signal, size: () => size },
    };
    let status: object;
    try {
      const code = await command({ ...process, args: [name, ...words.slice(1)] });
      await onEnd(code);
      status = exitStatus(code);
    } catch (error) {
      if (streams.gone.aborted) return;
      status = stopping.signal.aborted
        ? exitStatus(interrupted)
        : internal(`error executing command in container: ${errorText(error)}`).status;
    }
    if (terminal) await new Promise<void>(resolve => terminal.output.end(() => resolve()));
    await streams.finish(status);
  }

  /** Connects a client to what the container writes from now on. What the client sends becomes a part of the log. */
  async attach({ pod, container, tty }: Omit<Execution, 'words'>, streams: RemoteStreams): Promise<void> {
    const { stdin } = streams;
    if (hasInput(pod, container) && stdin) {
      const shell = { pod, container, words: ['sh'], tty };
      return this.run(shell, streams, code => this.#endContainer(pod, container, code));
    }
    const input = stdin && this.#log(pod, container, stdin, streams.stdout);
    const ended = this.#ended(pod, container, streams.gone);
    await (input ? Promise.race([input, ended]) : ended);
    if (!streams.gone.aborted) await streams.finish(exitStatus(0));
  }

  async #log(pod: Pod, container: string, stdin: Readable, stdout: Writable | undefined): Promise<void> {
    let rest = '';
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      stdout?.write(chunk);
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()?.slice(-maxSizeBytes) ?? '';
      for (const text of lines) this.#containers.append(pod, container, { time: this.#clock.now(), text });
    }
  }

  /** Resolves when the container has ended, or the client is gone. */
  async #ended(pod: Pod, container: string, gone: AbortSignal): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata;
    while (!gone.aborted) {
      const current = this.#containers.pod(namespace, name);
      if (current?.metadata.uid !== uid || !this.#containers.status(current as Pod, container)?.state?.running) return;
      await this.#containers.changed(pod, Infinity, gone);
    }
  }
}

const specOf = ({ spec }: Pod, container: string) =>
  [...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])].find(({ name }) => name === container);

/** Returns whether a container reads its standard input, as one of `kubectl run -i` and `kubectl debug -i` does. */
const hasInput = (pod: Pod, container: string): boolean => specOf(pod, container)?.stdin === true;

function environmentOf(pod: Pod, container: string): Map<string, string> {
  const environment = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', pod.metadata.name ?? ''],
    ['HOME', '/root'],
  ]);
  for (const { name, value } of specOf(pod, container)?.env ?? []) environment.set(name ?? '', value ?? '');
  return environment;
}
