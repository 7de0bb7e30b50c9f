/** A server with two clients: one requests `/version`, and one watches. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import { type Backend, backend } from '../aggregation/backend.js';
import { temporaryFolder } from '../apiserver/running.js';
import { Streams } from '../conformance/fuzz/send.js';
import { Informer, VersionClient } from './clients.js';
import { Guard } from './guard.js';
import type { Row } from './row.js';
import { startWatched, type WatchedServer } from './server.js';

/** The limit of the heap makes a server fail before it uses up the memory of the machine. */
const node = ['env', '-u', 'NODE_OPTIONS', process.execPath, '--max-old-space-size=2048'];

/** What a row needs of its server. */
type Needs = Pick<Row, 'flags' | 'usesClusterApi'>;

const keyOf = ({ flags, usesClusterApi }: Needs): string => JSON.stringify([flags, usesClusterApi]);

/** Returns the rows with those of the same needs one after the other, so that fewer servers are started. */
export function byNeeds(rows: readonly Row[]): readonly Row[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return [...groups.values()].flat();
}

/** Writes a kubeconfig for the server, and returns the flag of `flagship up` that names it. */
async function clusterApiFlag(t: Test, { url, authority }: Backend): Promise<string> {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const kubeconfig = {
    clusters: [{ name: 'management', cluster }],
    contexts: [{ name: 'management', context: { cluster: 'management' } }],
    'current-context': 'management',
  };
  const file = path.join(await temporaryFolder(t), 'management');
  await fs.writeFile(file, JSON.stringify(kubeconfig));
  return `--cluster-api-kubeconfig=${file}`;
}

export class Stage {
  readonly server: WatchedServer;
  readonly streams: Streams;
  readonly versionClient: VersionClient;
  readonly informer: Informer;
  readonly guard: Guard;
  /** In place of the management cluster of Cluster API. */
  readonly management: Backend | undefined;
  readonly #clients: readonly Promise<void>[];

  private constructor(server: WatchedServer, management: Backend | undefined) {
    this.server = server;
    this.management = management;
    this.streams = new Streams(server.target);
    this.versionClient = new VersionClient(server.target, server.pid);
    this.informer = new Informer(server.target);
    this.guard = new Guard(server, this.versionClient);
    this.#clients = [this.versionClient.run(), this.informer.run()];
  }

  /** Starts the server, with the data in the folder if there is one, and its clients. By default, the server has no controllers. */
  static async open(t: Test, { flags, usesClusterApi }: Needs, folder?: string): Promise<Stage> {
    if (!usesClusterApi) return new Stage(await startWatched(t, { node, folder, ...(flags && { flags }) }), undefined);
    const management = await backend(t);
    const all = [...(flags ?? []), await clusterApiFlag(t, management)];
    return new Stage(await startWatched(t, { node, folder, flags: all }), management);
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

/** Provides one server for adjacent rows with the same needs, until it fails. */
export class Stages {
  readonly #t: Test;
  #current: Stage | undefined;
  #needs = '';

  constructor(t: Test) {
    this.#t = t;
  }

  async stageFor(needs: Needs): Promise<Stage> {
    const text = keyOf(needs);
    if (this.#current && (text !== this.#needs || this.#current.server.end() !== undefined)) await this.close();
    this.#needs = text;
    return (this.#current ??= await Stage.open(this.#t, needs));
  }

  /** Stops the server, and starts another one with its data. Rejects if it ended abnormally. */
  async restarted(needs: Needs): Promise<Stage> {
    const { folder } = (await this.stageFor(needs)).server;
    const fault = await this.close();
    if (fault !== undefined) throw new Error(fault);
    return (this.#current = await Stage.open(this.#t, needs, folder));
  }

  /** Stops the server, and returns the error if it ended abnormally. */
  async close(): Promise<string | undefined> {
    const current = this.#current;
    this.#current = undefined;
    return current?.close();
  }
}
