/** Checks the syntax of Lua scripts by compiling them, in the words of gopher-lua, which Karmada runs. */
import { type LuaBinary, LuaEngine, LuaMemoryError, luaOk, type Pointer } from './engine.js';

/** Bytes of memory of the VM that compiles a script. */
const maxMemory = 64 * 1024 * 1024;

/**
 * Maximum number of bytes that the search for the column of a fault compiles: it would compile a line of a megabyte some twenty times, while other tasks
 * wait for the thread. Usual scripts need a tenth of it.
 */
const maxSearchBytes = 8 * 1024 * 1024;

/** Milliseconds after which the search ends without a result, for scripts that compile slowly. */
const maxSearchMs = 2000;

/** Bytes of a message that are read: a token in it may be as long as the script. */
const maxMessageBytes = 4_000;

/** The name of scripts in messages: `<string>:3: ...`. */
const chunkName = Buffer.from('=<string>\0');

/** The first byte of compiled Lua, which would be loaded unchecked. */
const bytecodeMark = 0x1b;

/** What the compiler says of scripts: a line and a message, which for most faults names the token that it did not expect. */
const faultPattern = /^<string>:(?<at>\d+): (?<text>.*?)(?: near '(?<near>.*)')?$/s;

/** Texts of Lua's compiler -> those of gopher-lua. All others are syntax errors there. */
const texts: Readonly<Record<string, string>> = {
  // An expression stands where a statement has to be: it is no call, and nothing can be assigned to it.
  "'=' expected": 'parse error',
  'syntax error': 'parse error',
  'unfinished string': 'unterminated string',
  'unfinished long string': 'unterminated multiline string',
  'unfinished long comment': 'invalid multiline comment',
  'malformed number': 'malformed number',
};

/** Characters that begin no token. */
const noToken = /^[^\w\s+\-*/%^#(){}[\];,=<>.:"'~]$/;

/** Faults that gopher-lua finds only after it has parsed the whole script. */
const compileErrors: ReadonlySet<string> = new Set(['no loop to break', "cannot use '...' outside a vararg function"]);

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const [newline, carriageReturn] = [10, 13];

/** Returns where a line of a script begins and ends, with its line break, as Lua counts lines: from 1, and two different characters are one break. */
function boundsOf(script: Uint8Array, line: number): { begin: number; end: number } {
  let [begin, number] = [0, 1];
  for (let i = 0; i < script.length;) {
    const byte = script[i++];
    if (byte !== newline && byte !== carriageReturn) continue;
    const next = script[i];
    if (next !== byte && (next === newline || next === carriageReturn)) i++;
    if (number === line) return { begin, end: i };
    [begin, number] = [i, number + 1];
  }
  return { begin, end: script.length };
}

/** Compiles a script, and beginnings of it, in an engine of its own. */
class Compiler {
  readonly #engine: LuaEngine;
  readonly #L: Pointer;
  readonly #script: Uint8Array;

  constructor(binary: LuaBinary, script: Uint8Array) {
    this.#engine = new LuaEngine(binary, maxMemory);
    this.#L = this.#engine.api.luaL_newstate();
    if (this.#L === 0) throw new LuaMemoryError();
    this.#script = script;
  }

  /** Returns what Lua says of the first `length` bytes; undefined if they compile. */
  fault(length = this.#script.length): string | undefined {
    const { api } = this.#engine;
    const text = Buffer.concat([chunkName, this.#script.subarray(0, length)]);
    const status = this.#engine.withBytes(text, at => api.luaL_loadbuffer(this.#L, at + chunkName.length, length, at));
    const fault = status === luaOk ? undefined : this.#engine.textAt(this.#L, -1, maxMessageBytes);
    api.lua_settop(this.#L, 0);
    return fault;
  }

  /**
   * Returns the length of the shortest beginning that has the fault of the whole script: it ends with the token that was not expected. `line` is that
   * of the fault. A beginning without the break before that line has no fault there. Returns undefined if it is not found within the bounds of a search.
   */
  lengthUntil(fault: string, line: number, elapsed: () => number): number | undefined {
    const { begin, end } = boundsOf(this.#script, line);
    const until = elapsed() + maxSearchMs;
    let [without, having] = [Math.max(0, begin - 2), end];
    for (let left = maxSearchBytes; having - without > 1;) {
      const middle = (without + having) >>> 1;
      left -= middle;
      if (left < 0 || elapsed() > until) return undefined;
      if (this.fault(middle) === fault) having = middle;
      else without = middle;
    }
    return having;
  }

  /** Returns the number of lines of the first `length` bytes, and of the characters in the last one. */
  positionAt(length: number): { line: number; column: number } {
    const lines = decoder.decode(this.#script.subarray(0, length)).split(/\r\n|\n\r|\r|\n/);
    return { line: lines.length, column: [...(lines.at(-1) ?? '')].length };
  }
}

/** Returns gopher-lua's text for a fault. */
function wordsOf(text: string, near: string): string {
  if (near === '~') return "Invalid '~' token";
  return noToken.test(near) ? 'Invalid token' : (texts[text] ?? 'syntax error');
}

/** Returns the token without quotes. */
const unquoted = (token: string): string => token.replace(/^(?<quote>["'])(?<text>.*?)\k<quote>?$/s, '$<text>');

/**
 * Returns what is wrong with a script in UTF-8, which ends with a newline in the cases in which it does so in gopher-lua; undefined if it compiles. A
 * wrong script is compiled as many times as the length of the wrong line has bits. `elapsed` returns the milliseconds of a clock that never goes back.
 * differs: the column is left out where it would take long to find.
 */
export function luaSyntaxError(binary: LuaBinary, bytes: Uint8Array, elapsed: () => number): string | undefined {
  if (bytes[0] === bytecodeMark) return "<string> line:1(column:1) near 'char(27)':   Invalid token\n";
  const compiler = new Compiler(binary, bytes);
  const fault = compiler.fault();
  if (fault === undefined) return undefined;
  const { at, text = '', near } = faultPattern.exec(fault)?.groups ?? {};
  if (at === undefined) return fault;
  if (near === undefined || compileErrors.has(text)) return `compile error near line(${at}) <string>: ${text}`;
  const words = wordsOf(text, near);
  if (near === '<eof>') return `<string> at EOF:   ${words}\n`;
  const length = compiler.lengthUntil(fault, Number(at), elapsed);
  if (length === undefined) return `<string> line:${at} near '${unquoted(near)}':   ${words}\n`;
  const { line, column } = compiler.positionAt(length);
  return `<string> line:${line}(column:${column}) near '${unquoted(near)}':   ${words}\n`;
}
