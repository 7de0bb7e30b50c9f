/** A server with two clients: one requests `/version`, and one watches. */
import type { Test } from 'tap';
import { Streams } from '../conformance/fuzz/send.js';
import { Informer, VersionClient } from './clients.js';
import { Guard } from './guard.js';
import { startWatched, type WatchedServer } from './server.js';

/** The limit of the heap makes a server fail before it uses up the memory of the machine. */
const node = ['env', '-u', 'NODE_OPTIONS', process.execPath, '--max-old-space-size=2048'];

export class Stage {
  readonly server: WatchedServer;
  readonly streams: Streams;
  readonly versionClient: VersionClient;
  readonly informer: Informer;
  readonly guard: Guard;
  readonly #clients: readonly Promise<void>[];

  private constructor(server: WatchedServer) {
    this.server = server;
    this.streams = new Streams(server.target);
    this.versionClient = new VersionClient(server.target);
    this.informer = new Informer(server.target);
    this.guard = new Guard(server, this.versionClient);
    this.#clients = [this.versionClient.run(), this.informer.run()];
  }

  /** Starts the server and its clients. `flags`: of `flagship up`; by default, the server has no controllers. */
  static async open(t: Test, flags: readonly string[] | undefined): Promise<Stage> {
    return new Stage(await startWatched(t, { node, ...(flags && { flags }) }));
  }

  /** Stops the server, and returns the error if it ended abnormally. */
  async close(): Promise<string | undefined> {
    this.guard.stop();
    this.versionClient.stop();
    this.informer.stop();
    this.streams.close();
    await Promise.all(this.#clients);
    const how = this.server.end() ?? (await this.server.stop());
    if (this.guard.reason !== undefined) return this.guard.reason;
    return how === 'exit code 0'
      ? undefined
      : `the server ended: ${how} ${this.server.unexpectedLines().join(' ').slice(0, 1000)}`;
  }
}

/** Provides one server for adjacent rows with the same flags, until it fails. */
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

  /** Stops the server, and returns the error if it ended abnormally. */
  async close(): Promise<string | undefined> {
    const current = this.#current;
    this.#current = undefined;
    return current?.close();
  }
}
