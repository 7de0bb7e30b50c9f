import type { NodeInfo } from './node-info.js';

/** Changes of which the nodes are known. Older ones are forgotten, half of them at a time. */
const maxChanges = 4096;

/** The nodes that have changed last, so that readers look only at those. */
export class ChangedNodes {
  #version = 0;
  /** One for each version, the last one at the end. */
  #nodes: NodeInfo[] = [];

  /** The number of changes so far. */
  get version(): number {
    return this.#version;
  }

  add(node: NodeInfo): void {
    this.#version++;
    if (this.#nodes.length >= maxChanges) this.#nodes = this.#nodes.slice(maxChanges / 2);
    this.#nodes.push(node);
  }

  /** Returns the nodes that have changed since a version; undefined if that is too long ago. */
  since(version: number): ReadonlySet<NodeInfo> | undefined {
    const count = this.#version - version;
    return count > this.#nodes.length ? undefined : new Set(this.#nodes.slice(this.#nodes.length - count));
  }
}
