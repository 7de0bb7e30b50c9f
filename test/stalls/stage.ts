/** A server with those who use it: one who asks for `/version`, and an informer. */
import type { Test } from 'tap';
import { Streams } from '../conformance/fuzz/send.js';
import { Informer, VersionAsker } from './clients.js';
import { Guard } from './guard.js';
import { startWatched, type WatchedServer } from './server.js';

/** A server in a heap without a bound would take the machine's memory before it fails. */
const node = ['env', '-u', 'NODE_OPTIONS', process.execPath, '--max-old-space-size=2048'];

export class Stage {
  readonly server: WatchedServer;
  readonly streams: Streams;
  readonly asker: VersionAsker;
  readonly informer: Informer;
  readonly guard: Guard;
  readonly #clients: readonly Promise<void>[];

  private constructor(server: WatchedServer) {
    this.server = server;
    this.streams = new Streams(server.target);
    this.asker = new VersionAsker(server.target);
    this.informer = new Informer(server.target);
    this.guard = new Guard(server, this.asker);
    this.#clients = [this.asker.run(), this.informer.run()];
  }

  /** `flags`: of `flagship up`; without controllers when absent. */
  static async open(t: Test, flags: readonly string[] | undefined): Promise<Stage> {
    return new Stage(await startWatched(t, { node, ...(flags && { flags }) }));
  }

  /** Ends the server; what is wrong with how it ended. */
  async close(): Promise<string | undefined> {
    this.guard.stop();
    this.asker.stop();
    this.informer.stop();
    this.streams.close();
    await Promise.all(this.#clients);
    const how = this.server.end() ?? (await this.server.stop());
    if (this.guard.reason !== undefined) return this.guard.reason;
    return how === 'exit code 0'
      ? undefined
      : `the server ended: ${how} ${this.server.complaints().join(' ').slice(0, 1000)}`;
  }
}

/** Hands out one server for the rows that need the same flags, until a row has done something to it. */
export class Stages {
  readonly #t: Test;
  #current: Stage | undefined;
  #flags = '';

  constructor(t: Test) {
    this.#t = t;
  }

  async stageFor(flags: readonly string[] | undefined): Promise<Stage> {
    const text = JSON.stringify(flags);
    if (this.#current && (text !== this.#flags || this.#current.server.end() !== undefined)) await this.close();
    this.#flags = text;
    return (this.#current ??= await Stage.open(this.#t, flags));
  }

  /** Ends the server; what is wrong with how it ended. */
  async close(): Promise<string | undefined> {
    const current = this.#current;
    this.#current = undefined;
    return current?.close();
  }
}
