import { emptyPlaces } from './empty-places.js';
import {
  LuaEngine,
  type LuaBinary,
  luaBoolean,
  luaMemoryError,
  LuaMemoryError,
  luaNil,
  luaNumber,
  luaOk,
  luaString,
  luaTable,
  type Pointer,
  registryIndex,
} from '../../../lib/lua/engine.js';
import { hostLibrary } from './host.js';
import type { LuaCall, LuaFailure, LuaLimits, LuaOutcome, LuaResult, LuaResultForm } from './interface.js';
import { kubeLibrary } from './kube.js';
import { luaNumberText } from './number-text.js';
import { pushJson } from './push.js';
import { ConversionError, luaTypeAt, ResultReader } from './read.js';
import { sandboxScript } from './sandbox.js';
import { maxMessageBytes, shortMessage } from '../answers/short-message.js';

/** Compiled scripts that a VM keeps. */
const maxScripts = 64;

/** Characters of a script that a VM keeps compiled; longer ones are compiled for each run. */
const maxKeptScript = 64 * 1024;

/** Instructions between two looks at the clock. */
const instructionsPerLook = 5_000;

const maskCount = 8;

/** The key of the function that makes environments, in Lua's registry. Keys of compiled scripts follow. */
const factoryKey = 1;

/** The name of scripts in messages, which gopher-lua uses: `<string>:3: ...`. */
const chunkName = '=<string>';

/** The name of the sandbox in messages, so that its lines do not pass for lines of the script. */
const sandboxName = '=library';

/** The first character of compiled Lua, which `luaL_loadbuffer` would run unchecked: wrong bytecode reads and writes any memory of the VM. */
const bytecodeMark = '\x1b';

/** What Lua says of any other text that begins with this character. */
const bytecodeMessage = "<string>:1: unexpected symbol near 'char(27)'";

/** The text of the error that ends a script which ran too long, as in Karmada, whose context expires. */
const lateMessage = 'context deadline exceeded';

/** Thrown when a call of a script fails. The message is shortened, since it is sent to another thread. */
class Failure extends Error {
  readonly kind: LuaFailure;

  constructor(kind: LuaFailure, message: string) {
    super(shortMessage(message));
    this.kind = kind;
  }
}

interface LuaVmOptions {
  readonly binary: LuaBinary;
  readonly limits: LuaLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Returns numbers from 0 to below 1, the seeds of what `math.random` returns in a run. */
  readonly random: () => number;
}

/**
 * Runs calls of scripts, one at a time, each in an environment of its own. Limits hold whatever the script does, except while one function of C
 * runs, such as `string.find` with a pattern that backtracks: the caller must be able to end the thread.
 */
export class LuaVm {
  readonly #engine: LuaEngine;
  readonly #options: LuaVmOptions;
  readonly #L: Pointer;
  readonly #hook: number;
  readonly #enter: number;
  /** Keys in Lua's registry of compiled scripts by text, the least recently used first. */
  readonly #scripts = new Map<string, number>();
  #body: (L: Pointer) => void = () => undefined;
  #deadline = 0;
  #instructions = 0;
  #isLate = false;
  #isUsable = true;

  constructor(options: LuaVmOptions) {
    this.#options = options;
    this.#engine = new LuaEngine(options.binary, options.limits.memory);
    this.#hook = this.#engine.hook(L => this.#look(L));
    this.#enter = this.#engine.hostFunction(L => {
      this.#body(L);
      return 0;
    });
    this.#L = this.#engine.api.luaL_newstate();
    if (this.#L === 0) throw new LuaMemoryError();
    const error = this.#protected(L => this.#open(L));
    if (error) throw new Error(`the sandbox of scripts failed: ${error.message}`);
  }

  /** False after a failure that may have left wrong state, or when the VM has taken much memory: replace it. */
  get isUsable(): boolean {
    return this.#isUsable && this.#engine.isIntact && this.#engine.memory <= this.#options.limits.memory / 2;
  }

  /** Runs a call. `ms`: the time it may take, in milliseconds. It never throws for a fault of the script. */
  run(call: LuaCall, ms: number): LuaOutcome {
    const results: LuaResult[] = [];
    this.#deadline = this.#options.elapsed() + ms;
    this.#instructions = 0;
    this.#isLate = false;
    const failure = this.#protected(L => results.push(...this.#call(L, call)));
    if (!failure) return { results };
    if (failure.kind !== 'failed') this.#isUsable = false;
    return { failure: failure.kind, message: failure.message };
  }

  #open(L: Pointer): void {
    const { api } = this.#engine;
    api.luaopen_base(L);
    api.luaopen_table(L);
    api.luaopen_string(L);
    api.luaopen_math(L);
    api.lua_settop(L, 0);
    this.#compile(L, sandboxScript, sandboxName);
    const { now, random } = this.#options;
    const functions = { ...hostLibrary(this.#engine, now, random), ...kubeLibrary(this.#engine) };
    api.lua_createtable(L, 0, 8);
    for (const [name, f] of Object.entries(functions)) {
      this.#engine.pushText(L, name);
      api.lua_pushcclosure(L, this.#engine.hostFunction(this.#guarded(f)), 0);
      api.lua_rawset(L, -3);
    }
    api.lua_call(L, 1, 1);
    api.lua_rawseti(L, registryIndex, factoryKey);
  }

  /** Makes an error of the conversion of arguments an error of Lua, which the script may catch. */
  #guarded(f: (L: Pointer) => number): (L: Pointer) => number {
    return L => {
      try {
        return f(L);
      } catch (error) {
        if (!(error instanceof ConversionError)) throw error;
        return this.#engine.raise(L, error.message);
      }
    };
  }

  #call(L: Pointer, { script, name, args, results }: LuaCall): LuaResult[] {
    const { api } = this.#engine;
    api.lua_sethook(L, this.#hook, maskCount, instructionsPerLook);
    this.#pushScript(L, script);
    this.#pushKept(L, factoryKey);
    api.lua_call(L, 0, 1);
    api.lua_pushvalue(L, -1);
    api.lua_insert(L, 1); // the environment stays below
    api.lua_setfenv(L, -2);
    api.lua_call(L, 0, 0);
    this.#engine.pushText(L, name);
    api.lua_rawget(L, 1);
    const type = luaTypeAt(this.#engine, L, -1);
    if (type === 'nil') throw new Failure('failed', `not found function ${name}`);
    if (type !== 'function') throw new Failure('failed', `${name} is not a function: ${type}`);
    for (const arg of args) pushJson(this.#engine, L, arg);
    api.lua_call(L, args.length, results.length);
    const first = api.lua_gettop(L) - results.length + 1;
    return results.map((form, i) => this.#result(L, first + i, form, args));
  }

  #result(L: Pointer, index: number, { empty, references }: LuaResultForm, args: readonly unknown[]): LuaResult {
    const { api } = this.#engine;
    const type = luaTypeAt(this.#engine, L, index);
    if (type !== 'table' && type !== 'string' && type !== 'number' && type !== 'boolean') return { type };
    const isTable = api.lua_type(L, index) === luaTable;
    const places = isTable && references.length > 0 ? emptyPlaces(references.map(i => args[i])) : undefined;
    api.lua_pushvalue(L, index);
    const text = new ResultReader(this.#engine, this.#options.limits, places).read(L, empty === 'object' ? '{}' : '[]');
    api.lua_settop(L, -2);
    return { type, value: JSON.parse(text) };
  }

  /** Runs `body` in a protected call. Returns its failure; the stack is empty afterwards. */
  #protected(body: (L: Pointer) => void): Failure | undefined {
    const { api } = this.#engine;
    let thrown: Failure | undefined;
    this.#body = L => {
      try {
        body(L);
      } catch (error) {
        // Other errors are jumps of Lua itself, which end at the protected call.
        if (error instanceof Failure) thrown = error;
        else if (error instanceof ConversionError)
          thrown = new Failure('failed', `encode lua result to json failed: ${error.message}`);
        else throw error;
      }
    };
    try {
      const status = api.lua_cpcall(this.#L, this.#enter, 0);
      if (this.#isLate) return new Failure('late', status === luaOk ? lateMessage : this.#message());
      if (status === luaOk) return thrown;
      return new Failure(status === luaMemoryError ? 'memory' : 'failed', this.#message());
    } catch (error) {
      this.#isUsable = false;
      if (error instanceof LuaMemoryError) return new Failure('memory', error.message);
      return new Failure('failed', error instanceof RangeError ? 'stack overflow' : String(error));
    } finally {
      if (this.#isUsable) api.lua_settop(this.#L, 0);
    }
  }

  /** Returns the beginning of the text of the error on top of the stack, which may be any value. */
  #message(): string {
    const { api } = this.#engine;
    switch (api.lua_type(this.#L, -1)) {
      case luaString:
        return this.#engine.textAt(this.#L, -1, maxMessageBytes);
      case luaNumber:
        return luaNumberText(api.lua_tonumber(this.#L, -1));
      case luaBoolean:
        return String(api.lua_toboolean(this.#L, -1) !== 0);
      case luaNil:
        return 'nil';
    }
    return `(error object is a ${luaTypeAt(this.#engine, this.#L, -1)} value)`;
  }

  /** Ends a script that is late: from then on every instruction fails, so that no `pcall` can go on. */
  #look(L: Pointer): void {
    const { limits, elapsed } = this.#options;
    this.#instructions += instructionsPerLook;
    if (!this.#isLate && this.#instructions <= limits.instructions && elapsed() < this.#deadline) return;
    this.#isLate = true;
    this.#engine.api.lua_sethook(L, this.#hook, maskCount, 1);
    this.#engine.raise(L, lateMessage, 0);
  }

  /** Pushes the function of a script, compiled now or before. */
  #pushScript(L: Pointer, script: string): void {
    const known = this.#scripts.get(script);
    if (known !== undefined) {
      this.#scripts.delete(script);
      this.#scripts.set(script, known);
      return this.#pushKept(L, known);
    }
    this.#compile(L, script, chunkName);
    if (script.length > maxKeptScript) return;
    const key = this.#freeKey();
    this.#engine.api.lua_pushvalue(L, -1);
    this.#engine.api.lua_rawseti(L, registryIndex, key);
    this.#scripts.set(script, key);
  }

  /** Returns a key for a compiled script: that of the least recently used one if there are enough. */
  #freeKey(): number {
    if (this.#scripts.size < maxScripts) return factoryKey + 1 + this.#scripts.size;
    for (const [script, key] of this.#scripts) {
      this.#scripts.delete(script);
      return key;
    }
    throw new Error('there is no compiled script');
  }

  #pushKept(L: Pointer, key: number): void {
    this.#engine.api.lua_pushnumber(L, key);
    this.#engine.api.lua_rawget(L, registryIndex);
  }

  #compile(L: Pointer, script: string, name: string): void {
    if (script.startsWith(bytecodeMark)) throw new Failure('failed', bytecodeMessage);
    const { api } = this.#engine;
    const status = this.#engine.withText(`${name}\0${script}`, (at, size) => {
      const nameSize = name.length + 1;
      return api.luaL_loadbuffer(L, at + nameSize, size - nameSize, at);
    });
    if (status !== luaOk)
      throw new Failure(status === luaMemoryError ? 'memory' : 'failed', this.#engine.textAt(L, -1, maxMessageBytes));
  }
}
