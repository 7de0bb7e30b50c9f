import type { Test } from 'tap';
import type { OpenSearchSettings, Source } from '../../../aggregation/search-backends/interface.js';
import { OpenSearchStore } from '../../../aggregation/search-backends/open-search-store.js';
import { annotations } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { FakeOpenSearch } from './fake-open-search.js';
import { type Logger, silent } from '../../../lib/logging/interface.js';

/** The index of ConfigMaps. */
export const index = 'kubernetes-configmap';

type Listener = Parameters<Source['onChange']>[0];

/** Objects whose names are their keys and uids. */
export class TestSource implements Source {
  readonly cluster: string;
  apiVersion = 'v1';
  kind = 'ConfigMap';
  readonly synced = Promise.resolve();
  hasSynced = true;
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<Listener>();
  #version = 0;

  constructor(cluster = 'member1', ...names: readonly string[]) {
    this.cluster = cluster;
    for (const name of names) this.put(name);
  }

  get id(): string {
    return `${this.cluster} ${this.apiVersion} ${this.kind}`;
  }

  get(key: string): { uid: string; version: string; object: KubeObject } | undefined {
    const object = this.#objects.get(key);
    return object && { uid: object.metadata.uid ?? '', version: object.metadata.resourceVersion ?? '', object };
  }

  includes(namespace: string): boolean {
    return namespace === 'default';
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(name: string, more: object = {}): void {
    const before = this.#objects.get(name)?.metadata.uid;
    const marks = { [annotations.cachedFromCluster]: this.cluster };
    const metadata = {
      ...{ name, namespace: 'default', uid: name, annotations: marks },
      resourceVersion: String(++this.#version),
    };
    this.#objects.set(name, { apiVersion: 'v1', kind: this.kind, metadata, ...more });
    for (const listener of this.#listeners) listener(name, [before, name]);
  }

  /** Reports the object again, without a change. */
  repeat(name: string): void {
    for (const listener of this.#listeners) listener(name, [name, name]);
  }

  remove(name: string): void {
    this.#objects.delete(name);
    for (const listener of this.#listeners) listener(name, [name, undefined]);
  }
}

/** Returns the settings of an OpenSearch at the address. */
export const settingsFor = (address: string): OpenSearchSettings => ({
  addresses: [address],
  username: 'user',
  password: 'secret',
  ca: '',
});

interface Started {
  readonly fake: FakeOpenSearch;
  readonly store: OpenSearchStore;
  readonly lines: readonly object[];
  readonly address: string;
}

/** Starts a fake OpenSearch, after `prepare`, and a store that writes to it until the test ends. */
export async function start(
  t: Test,
  prepare: (fake: FakeOpenSearch) => void = () => undefined,
  more: Partial<ConstructorParameters<typeof OpenSearchStore>[1]> = {},
): Promise<Started> {
  const fake = new FakeOpenSearch();
  prepare(fake);
  const address = await fake.listen(t);
  const lines: object[] = [];
  const line = (fields: object, msg: string): void => void lines.push({ ...fields, msg });
  const log: Logger = { ...silent, info: line, warn: line, error: line };
  const deps = { log, clock: systemClock, registry: 'r', ...more };
  const store = new OpenSearchStore(settingsFor(address), deps);
  t.teardown(() => store.close());
  return { fake, store, lines, address };
}

/** Returns names in order: `o0000`, `o0001` and so on. */
export const names = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `o${String(i).padStart(4, '0')}`);

/** A document as a store reads it. */
export const document = (cluster: string, { apiVersion = 'v1', namespace = 'default' } = {}) => ({
  apiVersion,
  kind: 'ConfigMap',
  metadata: { namespace, annotations: { [annotations.cachedFromCluster]: cluster, long: 'unread' } },
});

/** Returns how often the OpenSearch got an object. */
export const timesSent = ({ bulks }: FakeOpenSearch, name: string): number =>
  bulks.flatMap(({ operations }) => operations).filter(({ id }) => id === name).length;
