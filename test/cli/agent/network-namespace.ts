/** A network namespace that is connected to this one by a pair of virtual interfaces. */
import { execFile, execFileSync } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Test } from 'tap';

const ip = async (...args: readonly string[]): Promise<void> => void (await promisify(execFile)('ip', args));

/** Returns why no network namespace can be made here; false if one can. */
function obstacle(): string | false {
  const name = `flagship-probe-${process.pid}`;
  try {
    execFileSync('ip', ['netns', 'add', name], { stdio: 'pipe' });
    execFileSync('ip', ['netns', 'delete', name], { stdio: 'pipe' });
    return false;
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split('\n').slice(-2);
    return `no network namespace can be made (ip netns add): ${line}`;
  }
}

/** Options of a test that needs network namespaces: it is skipped where the user may not make them. */
export const needsNetworkNamespaces = { skip: obstacle() };

interface Outcome {
  readonly code: number;
  readonly out: string;
}

export class NetworkNamespace {
  /** The address of this side, which the namespace reaches. */
  readonly outside: string;
  /** The address of the namespace. */
  readonly inside: string;
  /** The command that runs another one in the namespace. */
  readonly command: readonly string[];
  readonly #name: string;
  readonly #link: string;

  private constructor() {
    const { pid } = process;
    const net = `10.${128 + (Math.floor(pid / 256) % 64)}.${pid % 256}`;
    this.outside = `${net}.1`;
    this.inside = `${net}.2`;
    this.#name = `flagship-${pid}`;
    this.#link = `fs${pid}`;
    this.command = ['ip', 'netns', 'exec', this.#name];
  }

  static async make(t: Test): Promise<NetworkNamespace> {
    const made = new NetworkNamespace();
    await made.#make(t);
    return made;
  }

  async #make(t: Test): Promise<void> {
    const [name, link, peer] = [this.#name, this.#link, `${this.#link}p`];
    await ip('netns', 'add', name);
    t.teardown(() => ip('netns', 'delete', name));
    await ip('link', 'add', link, 'type', 'veth', 'peer', 'name', peer, 'netns', name);
    t.teardown(() => ip('link', 'delete', link));
    await ip('address', 'add', `${this.outside}/30`, 'dev', link);
    await ip('-n', name, 'address', 'add', `${this.inside}/30`, 'dev', peer);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    await ip('-n', name, 'link', 'set', peer, 'up');
    await this.setLink('up');
  }

  setLink(state: 'up' | 'down'): Promise<void> {
    return ip('link', 'set', this.#link, state);
  }

  /** Runs a command in the namespace to its end. */
  run(...args: readonly string[]): Promise<Outcome> {
    const [command = '', ...rest] = [...this.command, ...args];
    return new Promise(resolve => {
      execFile(command, rest, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, out: stdout + stderr }),
      );
    });
  }
}
