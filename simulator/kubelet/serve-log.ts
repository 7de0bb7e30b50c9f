import type { ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.js';
import type { Pod } from '../../openapi/gen/core-v1.js';
import { type ContainerRun, lineText, type LogLine, logLines, nextTick, runOf } from './container-log.js';
import type { Containers } from './containers.js';
import { write } from './process.js';
import { type LogOptions, RefusedRequest } from './requests.js';

/** Characters of one write. */
const writeLength = 16 * 1024;

interface Container {
  readonly pod: Pod;
  readonly name: string;
}

/** Writes a log up to its limit. */
class LogWriter {
  readonly #to: ServerResponse;
  readonly #options: LogOptions;
  readonly #signal: AbortSignal;
  #left: number;

  constructor(to: ServerResponse, options: LogOptions, signal: AbortSignal) {
    this.#to = to;
    this.#options = options;
    this.#signal = signal;
    this.#left = options.limitBytes;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  async lines(lines: Iterable<LogLine>): Promise<void> {
    let text = '';
    for (const line of lines) {
      text += lineText(line, this.#options.timestamps);
      if (text.length < writeLength) continue;
      await this.#write(text);
      if (this.isFull) return;
      text = '';
      // A reader that keeps up must not hold the event loop.
      await new Promise(resolve => setImmediate(resolve));
    }
    if (text !== '') await this.#write(text);
  }

  async #write(text: string): Promise<void> {
    const bytes = Buffer.from(text).subarray(0, Math.min(this.#left, text.length * 4));
    this.#left -= bytes.length;
    await write(this.#to, bytes, this.#signal);
  }
}

/** Serves the logs of the containers of a member. */
export class LogServer {
  readonly #containers: Containers;
  readonly #clock: Clock;

  constructor(containers: Containers, clock: Clock) {
    this.#containers = containers;
    this.#clock = clock;
  }

  /** Resolves when the log is sent; with `follow` when the container has ended. Rejects with RefusedRequest before anything is sent. */
  async serve(
    { pod, name }: Container,
    options: LogOptions,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const run = this.#runOf(pod, name, options.previous);
    response.setHeader('content-type', 'text/plain');
    const writer = new LogWriter(response, options, signal);
    let now = this.#clock.now();
    await writer.lines(logLines(run, this.#written(pod, name, run), options, now));
    if (options.follow && !run.ended) {
      response.flushHeaders();
      for (let ended = false; !ended && !writer.isFull && !signal.aborted;) {
        await this.#containers.changed(pod, nextTick(run, now) - this.#clock.now(), signal);
        const current = this.#current(pod, name, run);
        const since = Math.max(now + 1, options.since);
        ended = current.ended !== undefined;
        now = this.#clock.now();
        await writer.lines(logLines(current, this.#written(pod, name, current), { since, withEnd: true }, now));
      }
    }
    response.end();
  }

  #runOf(pod: Pod, name: string, previous: boolean): ContainerRun {
    const status = this.#containers.status(pod, name);
    const run = status && runOf(pod, status, previous);
    if (run) return run;
    const shown = `container "${name}" in pod "${pod.metadata.name}"`;
    if (previous) throw new RefusedRequest(400, `previous terminated ${shown} not found`);
    const reason = status?.state?.waiting?.reason ?? 'ContainerCreating';
    throw new RefusedRequest(400, `${shown} is waiting to start: ${reason}`);
  }

  /** Returns the run as it is now. A Pod that is deleted, or a container that was restarted, has ended it. */
  #current(pod: Pod, name: string, run: ContainerRun): ContainerRun {
    const { namespace = '', name: podName = '', uid } = pod.metadata;
    const now = this.#containers.pod(namespace, podName);
    const status = now?.metadata.uid === uid ? this.#containers.status(now as Pod, name) : undefined;
    const current = now && status && runOf(now, status, false);
    if (current?.started === run.started) return current;
    const last = now && status && runOf(now, status, true);
    return last?.started === run.started ? last : { ...run, ended: { time: this.#clock.now(), exitCode: 137 } };
  }

  #written(pod: Pod, name: string, { started, ended }: ContainerRun): LogLine[] {
    const { written } = this.#containers.state(pod, name);
    return written.filter(({ time }) => time >= started && time <= (ended?.time ?? Infinity));
  }
}
