import { PassThrough, type Readable, Writable } from 'node:stream';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Clock } from '../../lib/clock.js';
import { commandsWith } from './commands.js';
import { BrokenPipeError, type Command, failWith, pathIn, type Process, write } from './process.js';
import {
  parseScript,
  type CommandPipeline,
  type Redirection,
  type SimpleCommand,
  SyntaxFault,
  type Word,
} from './script.js';

/** Commands of a script that run at once. */
const maxPiped = 16;
/** Bytes of a line of an interactive shell. */
const maxLineBytes = 64 * 1024;
/** The variable with the number of shells around a command, and their maximum. */
const levelVariable = 'SHLVL';
const maxLevel = 20;
const notFound = 127;
/** The exit code of a command whose reader is gone. */
const brokenPipe = 141;

/** A script ends with `exit`. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super('exit');
    this.code = code;
  }
}

/** Collects an output into a file. */
class FileOutput extends Writable {
  readonly #save: (content: Buffer) => void;
  #content: Buffer;
  #length: number;

  /** `before`: what the file has already. */
  constructor(before: Buffer, save: (content: Buffer) => void) {
    super();
    this.#save = save;
    this.#content = before;
    this.#length = before.length;
    this.on('error', () => undefined);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const length = this.#length + chunk.length;
    if (length > this.#content.length) {
      // Doubling makes many small writes cheap.
      const larger = Buffer.alloc(Math.max(length, 2 * this.#content.length));
      this.#content.copy(larger, 0, 0, this.#length);
      this.#content = larger;
    }
    chunk.copy(this.#content, this.#length);
    this.#length = length;
    try {
      // Every write is stored, so that the limits of the files hold.
      this.#save(this.#content.subarray(0, length));
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Runs scripts in one environment. */
class Shell {
  readonly #process: Process;
  readonly #commands: ReadonlyMap<string, Command>;
  #last = 0;

  constructor(process: Process, commands: ReadonlyMap<string, Command>) {
    this.#process = process;
    this.#commands = commands;
  }

  /** Resolves with the exit code. Rejects with Exit. */
  async run(script: string): Promise<number> {
    let pipelines: CommandPipeline[];
    try {
      pipelines = parseScript(script);
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      return (this.#last = await failWith(this.#process, error.message, 2));
    }
    for (const { commands, when } of pipelines) {
      if (when !== 'always' && (this.#last === 0) !== (when === 'and')) continue;
      this.#last = await this.#pipeline(commands);
    }
    return this.#last;
  }

  async #pipeline(commands: readonly SimpleCommand[]): Promise<number> {
    if (commands.length > maxPiped) return failWith(this.#process, 'too many commands in a pipe', 2);
    let { stdin }: { stdin: Readable } = this.#process;
    const codes: Promise<number>[] = [];
    for (const [i, command] of commands.entries()) {
      const isLast = i === commands.length - 1;
      const pipe = isLast ? undefined : new PassThrough().on('error', () => undefined);
      const input = stdin;
      const done = this.#command(command, input, pipe ?? this.#process.stdout);
      codes.push(
        done.finally(() => {
          pipe?.end();
          // The command before may still write.
          if (i > 0) input.destroy();
        }),
      );
      if (pipe) stdin = pipe;
    }
    const results = await Promise.allSettled(codes);
    const last = results.at(-1);
    if (last?.status === 'rejected') throw last.reason;
    return last?.value ?? 0;
  }

  async #command({ words, redirections }: SimpleCommand, stdin: Readable, stdout: Writable): Promise<number> {
    const args = words.map(word => this.#expand(word));
    while (/^[A-Za-z_]\w*=/.test(args[0] ?? '')) {
      const [name = '', ...value] = (args.shift() ?? '').split('=');
      this.#process.environment.set(name, value.join('='));
    }
    const process: Process = { ...this.#process, args, stdin, stdout };
    try {
      return await this.#redirected(process, redirections);
    } catch (error) {
      if (error instanceof BrokenPipeError) return brokenPipe;
      if (error instanceof Exit || this.#process.signal.aborted) throw error;
      return failWith(process, errorText(error));
    }
  }

  async #redirected(process: Process, redirections: readonly Redirection[]): Promise<number> {
    let { stdin, stdout, stderr } = process;
    const { files } = process;
    const outputs: Writable[] = [];
    for (const { operator, target } of redirections) {
      if (operator === '2>&1') {
        stderr = stdout;
        continue;
      }
      if (operator === '>&2') {
        stdout = stderr;
        continue;
      }
      const name = this.#expand(target);
      const at = pathIn(process, name);
      if (operator === '<') {
        const content = files.read(at);
        if (!content) return failWith(process, `can't open ${name}: no such file`);
        const input = new PassThrough();
        input.end(content);
        stdin = input;
        continue;
      }
      const isNull = at === '/dev/null';
      const before = operator === '>>' ? (files.read(at) ?? Buffer.alloc(0)) : Buffer.alloc(0);
      if (!isNull) files.write(at, before);
      const output = isNull
        ? new Writable({ write: (_chunk, _encoding, done) => done() })
        : new FileOutput(before, content => files.write(at, content));
      outputs.push(output);
      if (operator === '2>') stderr = output;
      else stdout = output;
    }
    try {
      return await this.#execute({ ...process, stdin, stdout, stderr });
    } finally {
      for (const output of outputs) await new Promise<void>(resolve => output.end(() => resolve()));
    }
  }

  async #execute(process: Process): Promise<number> {
    const [name = '', argument = ''] = process.args;
    switch (name) {
      case '':
        return 0;
      case 'exit':
        throw new Exit(argument === '' ? this.#last : Number(argument) & 255);
      case 'cd': {
        const folder = pathIn(process, argument === '' ? '/root' : argument);
        if (!process.files.isFolder(folder)) return failWith(process, `can't cd to ${argument}`, 2);
        this.#process.folder = folder;
        return 0;
      }
      case 'export':
        for (const word of process.args.slice(1)) {
          const [variable = '', ...value] = word.split('=');
          if (word.includes('=')) process.environment.set(variable, value.join('='));
        }
        return 0;
      default: {
        const command = this.#commands.get(name);
        if (command) return command(process);
        await write(process.stderr, `${this.#process.args[0]}: ${name}: not found\n`, process.signal);
        return notFound;
      }
    }
  }

  #expand(word: Word): string {
    return word
      .map(part => {
        if (typeof part === 'string') return part;
        if (part.variable === '?') return String(this.#last);
        return this.#process.environment.get(part.variable) ?? '';
      })
      .join('');
  }
}

/** Runs the lines of the standard input. */
async function interact(process: Process, shell: Shell): Promise<number> {
  const prompt = async (): Promise<void> => {
    if (process.size()) await write(process.stdout, `${process.folder} # `, process.signal);
  };
  let rest = '';
  let code = 0;
  await prompt();
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineBytes) return failWith(process, 'the line is too long', 2);
    for (const line of lines) {
      code = await shell.run(line);
      await prompt();
    }
  }
  return rest === '' ? code : shell.run(rest);
}

/** `sh -c SCRIPT`, or `sh`, which runs the lines of its standard input. */
const shellWith =
  (commands: ReadonlyMap<string, Command>): Command =>
  async outer => {
    const environment = new Map(outer.environment);
    const level = Number(environment.get(levelVariable) ?? 0) + 1;
    if (!(level <= maxLevel)) return failWith(outer, 'too many shells in shells', 2);
    environment.set(levelVariable, String(level));
    const process = { ...outer, environment };
    const shell = new Shell(process, commands);
    const [, option, script] = process.args;
    try {
      if (option === '-c') return await shell.run(script ?? '');
      return await interact(process, shell);
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    }
  };

/** Returns the commands of a simulated container, with shells that run them. */
export function containerCommands(clock: Clock): ReadonlyMap<string, Command> {
  const commands = new Map(commandsWith(clock));
  for (const name of ['sh', 'bash', 'ash']) commands.set(name, shellWith(commands));
  return commands;
}
