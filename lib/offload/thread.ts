import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { OffloadError } from './error.js';
import type { OffloadJob } from './job.js';
import { ownedBuffer, type ReadyMessage, type ResultMessage, type TaskMessage } from './messages.js';

export interface ThreadOptions {
  /** The module that calls `serveTasks`. */
  readonly entry: URL;
  /** Megabytes of objects that a thread may have. */
  readonly memory: number;
  /** Milliseconds without a task after which the thread ends. */
  readonly idle: number;
}

/** Milliseconds within which a thread must be able to run tasks. Its modules are read and compiled meanwhile, which takes long on a busy machine. */
const startLimitMs = 30_000;

/** How many times its limit a task may take in real time, while its thread waits for a CPU. */
const realTimeFactor = 10;

const outOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** One thread and its job. It keeps the process alive only while it has one. */
export class Thread {
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #idle: number;
  readonly #onFree: () => void;
  #job: OffloadJob | undefined;
  #isReady = false;
  /** The thread has the input of the job. */
  #hasInput = false;
  #times: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  /** `onFree` is called when the thread has no job any more, or has ended. */
  constructor({ entry, memory, idle }: ThreadOptions, onFree: () => void) {
    this.#idle = idle;
    this.#onFree = onFree;
    this.#worker = new Worker(entry, {
      resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: 16 },
      execArgv: [],
      env: {},
    });
    this.#worker.unref();
    this.#worker.on('message', (message: ReadyMessage | ResultMessage) => {
      if ('isReady' in message) this.#started(message);
      else this.#received(message);
    });
    this.#worker.on('error', error => this.#broke(error));
    this.ended = new Promise(resolve => {
      this.#worker.once('exit', code => {
        this.#isEnding = true;
        this.#finish(job => job.reject(new OffloadError('failed', `the thread of a task ended with code ${code}`)));
        resolve();
        onFree();
      });
    });
  }

  /** True when it can take a job. */
  get isFree(): boolean {
    return this.#job === undefined && !this.#isEnding;
  }

  /** True when it takes no more jobs. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  has(job: OffloadJob): boolean {
    return this.#job === job;
  }

  run(job: OffloadJob): void {
    clearTimeout(this.#timer);
    this.#job = job;
    this.#worker.ref();
    const { input } = job;
    // Bytes are copied: the caller keeps them, and they may be a part of a larger buffer.
    if (input instanceof Uint8Array) this.#post(job, new Uint8Array(input));
    else
      input.make().then(
        made => {
          if (this.#job === job) this.#post(job, made);
        },
        (error: unknown) => {
          if (this.#job !== job) return;
          this.#finish(unmade => unmade.reject(error));
          this.#rest();
        },
      );
  }

  #post(job: OffloadJob, input: Uint8Array): void {
    const message: TaskMessage = { task: job.task, input };
    this.#worker.postMessage(message, ownedBuffer(input));
    this.#hasInput = true;
    if (this.#isReady) return this.#limit(job);
    this.#timer = setTimeout(() => {
      this.end(
        new OffloadError('failed', `the thread of the task ${job.task} did not start within ${startLimitMs} ms`),
      );
    }, startLimitMs);
  }

  /** Ends the thread whatever it does; its job rejects with `error`. */
  end(error: Error): void {
    this.#isEnding = true;
    this.#finish(job => job.reject(error));
    void this.#worker.terminate();
  }

  #started({ times }: ReadyMessage): void {
    this.#isReady = true;
    this.#times = times;
    if (this.#job && this.#hasInput) this.#limit(this.#job);
  }

  /** Returns the milliseconds for which the thread has run on a CPU; undefined if the system does not report them. */
  #ran(): number | undefined {
    if (this.#times === undefined) return undefined;
    try {
      return Number.parseInt(fs.readFileSync(this.#times, 'latin1'), 10) / 1e6;
    } catch {
      return undefined; // The thread has just ended.
    }
  }

  /** Ends the thread when its job has run for its limit. On a busy machine, a thread waits most of the time for a CPU, which is not its fault. */
  #limit({ task, limit }: OffloadJob): void {
    const began = this.#ran();
    const deadline = performance.now() + limit * realTimeFactor;
    const check = (): void => {
      const now = this.#ran();
      const left = began === undefined || now === undefined ? 0 : limit - (now - began);
      const wait = Math.min(Math.ceil(left), deadline - performance.now());
      if (wait > 0) this.#timer = setTimeout(check, wait);
      else this.end(new OffloadError('late', `the task ${task} took longer than ${limit} ms`));
    };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(check, limit);
  }

  #received(result: ResultMessage): void {
    this.#finish(job => {
      if ('output' in result) return job.resolve(result.output);
      const { message, stack } = result.failure;
      const cause = Object.assign(new Error(message), stack === undefined ? {} : { stack });
      job.reject(new OffloadError('failed', `the task ${job.task} failed: ${message}`, { cause }));
    });
    this.#rest();
  }

  /** Waits for the next job. */
  #rest(): void {
    if (this.#isEnding) return;
    this.#timer = setTimeout(() => this.end(new OffloadError('closed', 'the thread was idle')), this.#idle).unref();
    this.#onFree();
  }

  /** Handles an error, after which the thread ends by itself. */
  #broke(error: unknown): void {
    this.#isEnding = true;
    this.#finish(job =>
      job.reject(
        outOfMemory(error)
          ? new OffloadError('memory', `the task ${job.task} needs too much memory`, { cause: error })
          : new OffloadError('failed', `the thread of the task ${job.task} failed`, { cause: error }),
      ),
    );
  }

  #finish(settle: (job: OffloadJob) => void): void {
    clearTimeout(this.#timer);
    const job = this.#job;
    this.#job = undefined;
    this.#hasInput = false;
    this.#worker.unref();
    if (job) settle(job);
  }
}
