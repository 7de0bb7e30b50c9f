import type { Revision } from '../interface.js';
import { removeFile } from './files/folder.js';
import type { Base, Recovered } from './recover.js';

/**
 * The snapshots and segments in the folder, of which only those stay that recovery or the retained history needs.
 *
 *     snapshot 3      snapshot 9            the history reaches back to revision F
 *     log 3 4 ... 8   log 9 10              F before snapshot 9: all stay. F after it: 3 and log 3..8 go
 */
export class RetainedFiles {
  readonly #folder: string;
  /** Ascending. The first one is what recovery begins with. */
  readonly #bases: Base[];
  /** Ascending. */
  #segments: number[];

  /** `folder`: a path to the directory that stays valid whatever happens to its name. */
  constructor(folder: string, { bases, segments }: Pick<Recovered, 'bases' | 'segments'>) {
    this.#folder = folder;
    this.#bases = [...bases];
    this.#segments = [...segments];
  }

  /** The number of segments since the newest snapshot. */
  get segmentsSinceSnapshot(): number {
    const newest = this.#bases.at(-1)?.sequence ?? 0;
    return this.#segments.filter(sequence => sequence >= newest).length;
  }

  /** Reports the newest segment, which may be known. */
  addSegment(sequence: number): void {
    if (this.#segments.at(-1) !== sequence) this.#segments.push(sequence);
  }

  addSnapshot(base: Base): void {
    this.#bases.push(base);
  }

  /** Removes the files that only a history before `floor` needs. Throws the system's error. */
  async prune(floor: Revision): Promise<void> {
    for (let next = this.#bases[1]; next !== undefined && next.revision <= floor; next = this.#bases[1]) {
      const first = this.#bases[0];
      // The base is removed first: a folder must not have a base whose segments are gone.
      if (first?.file === true) await removeFile(this.#folder, 'snapshot', first.sequence);
      this.#bases.shift();
      const { sequence } = next;
      for (const old of this.#segments.filter(s => s < sequence)) await removeFile(this.#folder, 'log', old);
      this.#segments = this.#segments.filter(s => s >= sequence);
    }
  }
}
