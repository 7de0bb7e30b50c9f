import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { keyOf } from '../../client/key.js';
import type { ContainerStatus, Node, Pod } from '../../openapi/gen/core-v1.js';
import type { Informer } from '../../client/runtime/interface.js';
import type { LogLine } from './container-log.js';
import { ContainerFiles, FileSpace } from './files.js';

/** Containers of a member whose files and written lines are kept. */
const maxContainers = 1000;
/** Lines of a container that were written to it. */
const maxLines = 1000;
/** Characters of one line. */
const maxLineLength = 4096;

/** What is kept of one container. */
interface ContainerState {
  readonly files: ContainerFiles;
  readonly written: LogLine[];
}

/** The containers of a member: their Pods, their files, and what was written to their logs. */
export class Containers {
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #space = new FileSpace();
  /** Emits the key of a Pod when it or its logs have changed. */
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #states = new LRUCache<string, ContainerState>({
    max: maxContainers,
    dispose: ({ files }) => files.clear(),
  });

  constructor(pods: Informer<Pod>, nodes: Informer<Node>) {
    this.#pods = pods;
    this.#nodes = nodes;
    pods.onChange(change => {
      if (!change.newCached && this.#states.size > 0) this.#forget(change.old?.metadata.uid ?? '');
      this.#changes.emit(change.key);
    });
  }

  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(namespacedName(namespace, name));
  }

  /** Returns the Pods of a node. */
  podsOf(node: string): Pod[] {
    return this.#pods.list().filter(({ spec }) => spec?.nodeName === node);
  }

  /** Returns the name of the node with a name or an address. */
  nodeAt(host: string): string | undefined {
    const found = this.#nodes.list().find(({ status }) => status?.addresses?.some(({ address }) => address === host));
    return found?.metadata.name;
  }

  status({ status = {} }: Pod, container: string): ContainerStatus | undefined {
    const all = [
      ...(status.containerStatuses ?? []),
      ...(status.initContainerStatuses ?? []),
      ...(status.ephemeralContainerStatuses ?? []),
    ];
    return all.find(({ name }) => name === container);
  }

  state({ metadata }: Pod, container: string): ContainerState {
    const key = `${metadata.uid}/${container}`;
    let state = this.#states.get(key);
    if (!state) {
      state = { files: new ContainerFiles(this.#space, metadata.name ?? ''), written: [] };
      this.#states.set(key, state);
    }
    return state;
  }

  /** Adds a line to the log of a container. */
  append(pod: Pod, container: string, line: LogLine): void {
    const { written } = this.state(pod, container);
    written.push({ ...line, text: line.text.slice(0, maxLineLength) });
    if (written.length > maxLines) written.shift();
    this.#changes.emit(keyOf(pod));
  }

  /** Resolves when a Pod or a log of it has changed, the time has passed, or the signal aborts. */
  changed(pod: Pod, milliseconds: number, signal: AbortSignal): Promise<void> {
    const key = keyOf(pod);
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        this.#changes.off(key, done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = Number.isFinite(milliseconds) ? setTimeout(done, milliseconds) : undefined;
      this.#changes.on(key, done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  #forget(uid: string): void {
    for (const key of [...this.#states.keys()]) if (key.startsWith(`${uid}/`)) this.#states.delete(key);
  }
}
