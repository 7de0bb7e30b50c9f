/** The commands of simulated containers. */
import type { Clock } from '../../lib/clock.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { type Command, failWith, pathIn, type Process, write } from './process.js';
import { tar } from './tar.js';

const echo: Command = async ({ args, stdout, signal }) => {
  const [, ...words] = args;
  const isLine = words[0] !== '-n';
  await write(stdout, words.slice(isLine ? 0 : 1).join(' ') + (isLine ? '\n' : ''), signal);
  return 0;
};

/** Copies input to an output, and resolves at its end. */
async function copyInput({ stdin, stdout, signal }: Process): Promise<void> {
  for await (const chunk of stdin as AsyncIterable<Buffer>) await write(stdout, chunk, signal);
}

const cat: Command = async process => {
  const names = process.args.slice(1);
  if (names.length === 0) names.push('-');
  let code = 0;
  for (const name of names) {
    if (name === '-') {
      await copyInput(process);
      continue;
    }
    const at = pathIn(process, name);
    const content = process.files.read(at);
    if (content) await write(process.stdout, content, process.signal);
    else if (process.files.isFolder(at)) code = await failWith(process, `read error: Is a directory`);
    else code = await failWith(process, `can't open '${name}': No such file or directory`);
  }
  return code;
};

const env: Command = async ({ environment, stdout, signal }) => {
  await write(stdout, [...environment].map(([name, value]) => `${name}=${value}\n`).join(''), signal);
  return 0;
};

/** Seconds that a command sleeps at most: as long as an idle stream lives. */
const maxSeconds = 4 * 3600;

const sleep =
  (clock: Clock): Command =>
  async process => {
    const seconds = Number(process.args[1]);
    if (!(seconds >= 0)) return failWith(process, `invalid number '${process.args[1] ?? ''}'`);
    await clock.sleep(Math.min(seconds, maxSeconds) * 1000, process.signal);
    process.signal.throwIfAborted();
    return 0;
  };

const checks: Readonly<Record<string, (process: Process, word: string) => boolean>> = {
  '-d': (process, name) => process.files.isFolder(pathIn(process, name)),
  '-e': (process, name) => process.files.exists(pathIn(process, name)),
  '-f': (process, name) => process.files.read(pathIn(process, name)) !== undefined,
  '-n': (_process, word) => word !== '',
  '-z': (_process, word) => word === '',
};

function holds(process: Process, words: readonly string[]): boolean {
  const [first = '', second = '', third = ''] = words;
  if (first === '!') return !holds(process, words.slice(1));
  if (words.length === 3) return second === '=' ? first === third : second === '!=' && first !== third;
  if (words.length === 2) return checks[first]?.(process, second) ?? false;
  return first !== '';
}

const test: Command = async process => {
  const words = process.args.slice(1);
  return holds(process, process.args[0] === '[' ? words.slice(0, -1) : words) ? 0 : 1;
};

const ls: Command = async process => {
  const { files, stdout, signal } = process;
  const names = process.args.slice(1).filter(word => !word.startsWith('-'));
  let code = 0;
  for (const name of names.length === 0 ? ['.'] : names) {
    const at = pathIn(process, name);
    if (files.isFolder(at))
      await write(
        stdout,
        files
          .list(at)
          .map(each => `${each}\n`)
          .join(''),
        signal,
      );
    else if (files.exists(at)) await write(stdout, `${name}\n`, signal);
    else code = await failWith(process, `${name}: No such file or directory`);
  }
  return code;
};

/** Calls a function for each argument that is a path. */
const forPaths =
  (change: (process: Process, at: string) => void): Command =>
  async process => {
    let code = 0;
    for (const name of process.args.slice(1).filter(word => !word.startsWith('-')))
      try {
        change(process, pathIn(process, name));
      } catch (error) {
        code = await failWith(process, `can't use '${name}': ${errorText(error)}`);
      }
    return code;
  };

const wc: Command = async process => {
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) bytes += chunk.length;
  await write(process.stdout, `${bytes}\n`, process.signal);
  return 0;
};

/** Lines of one write. */
const manyLines = 1000;

const yes: Command = async ({ args, stdout, signal }) => {
  const lines = Buffer.from(`${args[1] ?? 'y'}\n`.repeat(manyLines));
  // A reader that keeps up must not hold the event loop.
  for (;;) {
    await write(stdout, lines, signal);
    await new Promise(resolve => setImmediate(resolve));
  }
};

const head: Command = async process => {
  const at = process.args.indexOf('-n');
  let left = at < 0 ? 10 : Number(process.args[at + 1]);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    let end = 0;
    while (left > 0 && end < chunk.length) {
      const next = chunk.indexOf(10, end);
      end = next < 0 ? chunk.length : next + 1;
      if (next >= 0) left--;
    }
    await write(process.stdout, chunk.subarray(0, end), process.signal);
    if (left <= 0) break;
  }
  return 0;
};

const stty: Command = async process => {
  const size = process.size();
  if (!size) return failWith(process, 'standard input: not a tty');
  await write(process.stdout, `${size.height} ${size.width}\n`, process.signal);
  return 0;
};

const says =
  (text: (process: Process) => string): Command =>
  async process => {
    await write(process.stdout, `${text(process)}\n`, process.signal);
    return 0;
  };

/** Returns the commands by their names. */
export const commandsWith = (clock: Clock): ReadonlyMap<string, Command> =>
  new Map<string, Command>([
    ...Object.entries({ echo, cat, env, printenv: env, test, '[': test, ls, wc, yes, head, stty, tar }),
    ['true', async () => 0],
    ['false', async () => 1],
    ['sleep', sleep(clock)],
    ['pwd', says(({ folder }) => folder)],
    ['hostname', says(({ environment }) => environment.get('HOSTNAME') ?? '')],
    ['mkdir', forPaths(({ files }, at) => files.makeFolder(at))],
    ['rm', forPaths(({ files }, at) => files.remove(at))],
    ['touch', forPaths(({ files }, at) => files.write(at, files.read(at) ?? Buffer.alloc(0)))],
  ]);
