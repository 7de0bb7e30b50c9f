/** The files of a simulated container, in memory. */
import path from 'node:path';

/** Bytes of the files of one container, and of all containers of a member. */
const maxContainerBytes = 16 * 1024 * 1024;
const maxMemberBytes = 64 * 1024 * 1024;
/** Files and folders of one container. */
const maxEntries = 10_000;
/** Bytes that an entry takes besides its content. */
const entryBytes = 256;

/** The room that all containers of a member share. */
export class FileSpace {
  #used = 0;

  /** Throws an Error when there is no room. */
  take(bytes: number): void {
    if (this.#used + bytes > maxMemberBytes) throw new Error('No space left on device');
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/** Paths are absolute or relative to the working folder. */
export class ContainerFiles {
  readonly #space: FileSpace;
  /** Contents by absolute path; undefined: a folder. */
  readonly #entries = new Map<string, Buffer | undefined>();
  #used = 0;

  constructor(space: FileSpace, hostname: string) {
    this.#space = space;
    for (const folder of ['/', '/etc', '/tmp', '/root']) this.#entries.set(folder, undefined);
    this.#entries.set('/etc/hostname', Buffer.from(`${hostname}\n`));
  }

  isFolder(name: string): boolean {
    return this.#entries.has(name) && this.#entries.get(name) === undefined;
  }

  exists(name: string): boolean {
    return this.#entries.has(name);
  }

  read(name: string): Buffer | undefined {
    return this.#entries.get(name);
  }

  /** Throws an Error when the folder is missing, or there is no room. */
  write(name: string, content: Buffer): void {
    if (this.isFolder(name)) throw new Error('Is a directory');
    if (!this.isFolder(path.posix.dirname(name))) throw new Error('No such file or directory');
    this.#put(name, content);
  }

  /** Creates a folder and those above it. */
  makeFolder(name: string): void {
    if (this.isFolder(name)) return;
    if (this.exists(name)) throw new Error('Not a directory');
    this.makeFolder(path.posix.dirname(name));
    this.#put(name, undefined);
  }

  /** Removes a file, or a folder with everything in it. */
  remove(name: string): void {
    for (const each of this.below(name)) this.#drop(each);
  }

  /** Returns the path and all paths below it, sorted. */
  below(name: string): string[] {
    const prefix = name === '/' ? '/' : `${name}/`;
    return [...this.#entries.keys()].filter(each => each === name || each.startsWith(prefix)).sort();
  }

  /** Returns the names in a folder, sorted. */
  list(folder: string): string[] {
    return this.below(folder)
      .filter(each => each !== folder && path.posix.dirname(each) === folder)
      .map(each => path.posix.basename(each));
  }

  /** Gives the room back. */
  clear(): void {
    this.#space.give(this.#used);
    this.#used = 0;
    this.#entries.clear();
  }

  #put(name: string, content: Buffer | undefined): void {
    const before = this.#entries.has(name) ? entryBytes + (this.#entries.get(name)?.length ?? 0) : 0;
    const bytes = entryBytes + (content?.length ?? 0) - before;
    if (this.#used + bytes > maxContainerBytes || (before === 0 && this.#entries.size >= maxEntries))
      throw new Error('No space left on device');
    this.#space.take(bytes);
    this.#used += bytes;
    this.#entries.set(name, content);
  }

  #drop(name: string): void {
    const bytes = entryBytes + (this.#entries.get(name)?.length ?? 0);
    if (!this.#entries.delete(name)) return;
    // What a container has from the start takes no room.
    const given = Math.min(bytes, this.#used);
    this.#used -= given;
    this.#space.give(given);
  }
}
