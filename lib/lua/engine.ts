/**
 * Lua 5.1.5 in WebAssembly, driven by its C API only. The one file that knows the package wasmoon-lua5.1: its binary is used, and none of its
 * JavaScript, whose tables and timeouts fail under load. Each engine has a memory of its own, with a limit that Lua cannot exceed.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A pointer into the memory of an engine. */
export type Pointer = number;

/** Pseudo indexes of Lua 5.1. */
export const registryIndex = -10000;

/** Names of Lua's types by number, as lua_type returns it. */
export const luaTypeNames = [
  'nil',
  'boolean',
  'userdata',
  'number',
  'string',
  'table',
  'function',
  'userdata',
  'thread',
] as const;
export const luaNil = 0;
export const luaBoolean = 1;
export const luaNumber = 3;
export const luaString = 4;
export const luaTable = 5;

/** Results of lua_cpcall and lua_pcall. */
export const luaOk = 0;
export const luaMemoryError = 4;

/** The functions of the C API in use. The first parameter `L` is the Lua state. */
interface LuaApi {
  malloc(size: number): Pointer;
  free(at: Pointer): void;
  luaL_newstate(): Pointer;
  luaopen_base(L: Pointer): number;
  luaopen_table(L: Pointer): number;
  luaopen_string(L: Pointer): number;
  luaopen_math(L: Pointer): number;
  lua_call(L: Pointer, args: number, results: number): void;
  lua_checkstack(L: Pointer, size: number): number;
  lua_cpcall(L: Pointer, f: number, data: Pointer): number;
  lua_createtable(L: Pointer, list: number, map: number): void;
  lua_error(L: Pointer): number;
  lua_gc(L: Pointer, what: number, data: number): number;
  lua_gettop(L: Pointer): number;
  lua_insert(L: Pointer, index: number): void;
  luaL_loadbuffer(L: Pointer, text: Pointer, size: number, name: Pointer): number;
  luaL_where(L: Pointer, level: number): void;
  lua_concat(L: Pointer, count: number): void;
  lua_next(L: Pointer, index: number): number;
  lua_objlen(L: Pointer, index: number): number;
  lua_pushboolean(L: Pointer, value: number): void;
  lua_pushcclosure(L: Pointer, f: number, upvalues: number): void;
  lua_pushlstring(L: Pointer, text: Pointer, size: number): void;
  lua_pushnil(L: Pointer): void;
  lua_pushnumber(L: Pointer, value: number): void;
  lua_pushvalue(L: Pointer, index: number): void;
  lua_rawget(L: Pointer, index: number): void;
  lua_rawset(L: Pointer, index: number): void;
  lua_rawseti(L: Pointer, index: number, n: number): void;
  lua_setfenv(L: Pointer, index: number): number;
  lua_sethook(L: Pointer, hook: number, mask: number, count: number): number;
  lua_setmetatable(L: Pointer, index: number): number;
  lua_settop(L: Pointer, index: number): void;
  lua_toboolean(L: Pointer, index: number): number;
  lua_tolstring(L: Pointer, index: number, size: Pointer): Pointer;
  lua_tonumber(L: Pointer, index: number): number;
  lua_topointer(L: Pointer, index: number): Pointer;
  lua_type(L: Pointer, index: number): number;
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Table {
  readonly length: number;
  get(index: number): (...args: number[]) => number;
  set(index: number, f: unknown): void;
  grow(size: number): number;
}

/** What the binary exports beside the C API. */
interface Exports extends LuaApi {
  readonly memory: Memory;
  readonly __indirect_function_table: Table;
  __wasm_call_ctors(): void;
  stackSave(): number;
  stackRestore(stack: number): void;
  setThrew(threw: number, value: number): void;
  emscripten_stack_init(): void;
  emscripten_stack_get_end(): Pointer;
}

/** Node.js has WebAssembly; the types of ECMAScript do not. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}

const { Module, Instance } = (globalThis as typeof globalThis & { readonly WebAssembly: WebAssembly }).WebAssembly;

const pageSize = 64 * 1024;

/** Bytes of the longest text that is read from an engine: more would not fit into the heap of a thread. */
export const maxTextBytes = 4 * 1024 * 1024;

/** The compiled binary, from which engines are made. */
export type LuaBinary = object;

/** Reads and compiles the binary of Lua, synchronously. */
export const loadLuaBinary = (): LuaBinary =>
  new Module(readFileSync(fileURLToPath(import.meta.resolve('wasmoon-lua5.1/dist/liblua5.1.wasm'))));

/** What longjmp throws through the frames of WebAssembly and JavaScript, up to the setjmp of a protected call. */
class LongJump extends Error {}

const longJump = new LongJump();

/** The environment asks for what a script cannot reach, since only libraries without input and output are opened. */
const unavailable = (name: string) => (): never => {
  throw new Error(`Lua called ${name}`);
};

const unavailableImports = [
  ...['exit', 'strftime', '__syscall_openat', '__syscall_fcntl64', '__syscall_ioctl', '__syscall_dup3'],
  ...['__syscall_unlinkat', '__syscall_rmdir', '__syscall_renameat', '__syscall_readlinkat', '_emscripten_system'],
  ...['fd_write', 'fd_read', 'fd_close', 'fd_seek', '_tzset_js', '_mktime_js', '_localtime_js', '_gmtime_js'],
];

/** Written below the stack of the engine: if it changed, the stack overflowed into other data. */
const stackCookie = 0x5afe_57ac;

/** A JavaScript function that Lua can call, as a `lua_CFunction`: it returns the number of results on the stack of `L`. */
export type HostFunction = (L: Pointer) => number;

/** Encodes a module that exports its import as a function of the signature: WebAssembly tables take no plain functions of JavaScript. */
function wrapperModule(parameters: number, results: number): Uint8Array {
  const i32 = 0x7f;
  const type = [0x60, parameters, ...Array<number>(parameters).fill(i32), results, ...Array<number>(results).fill(i32)];
  const section = (id: number, body: readonly number[]): number[] => [id, body.length, ...body];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, ...type]),
    ...section(2, [1, 1, 0x65, 1, 0x66, 0, 0]), // import e.f, of type 0
    ...section(7, [1, 1, 0x66, 0, 0]), // export f
  ]);
}

const hostFunctionModule = new Module(wrapperModule(1, 1));
const hookModule = new Module(wrapperModule(2, 0));

/** One instance of Lua, with its own memory. It keeps no state of a caller but what Lua has. */
export class LuaEngine {
  readonly api: LuaApi;
  readonly #exports: Exports;
  readonly #scratch: { at: Pointer; size: number } = { at: 0, size: 0 };
  #bytes: Uint8Array;
  #view: DataView;

  /** `maxMemory`: bytes. */
  constructor(binary: LuaBinary, maxMemory: number) {
    const { exports } = new Instance(binary, {
      env: this.#imports(maxMemory),
      wasi_snapshot_preview1: this.#imports(maxMemory),
    });
    this.#exports = exports as Exports;
    this.api = this.#exports;
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#view = new DataView(this.#exports.memory.buffer);
    this.#exports.emscripten_stack_init();
    this.#exports.__wasm_call_ctors();
    this.#view.setUint32(this.#exports.emscripten_stack_get_end(), stackCookie, true);
    this.#widenNumbers();
  }

  /** False if the stack has overflowed: the engine may have wrong data, and must not be used any more. */
  get isIntact(): boolean {
    return this.#view.getUint32(this.#exports.emscripten_stack_get_end(), true) === stackCookie;
  }

  /** Bytes of memory that the engine has taken. They are never given back. */
  get memory(): number {
    return this.#bytes.byteLength;
  }

  /** Makes a function of JavaScript callable for Lua. Functions are never released: make each one once per engine. */
  hostFunction(f: HostFunction): number {
    return this.#place(new Instance(hostFunctionModule, { e: { f } }));
  }

  /** Makes a function of JavaScript a `lua_Hook`. */
  hook(f: (L: Pointer) => void): number {
    return this.#place(new Instance(hookModule, { e: { f } }));
  }

  /** Calls `f` with the text in memory as UTF-8. The memory is reused by the next call. */
  withText<T>(text: string, f: (at: Pointer, size: number) => T): T {
    const at = this.#reserve(text.length * 3 + 1);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at, at + text.length * 3));
    this.#bytes[at + written] = 0;
    return f(at, written);
  }

  /** Calls `f` with the bytes in memory, which is reused by the next call. */
  withBytes<T>(bytes: Uint8Array, f: (at: Pointer) => T): T {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    return f(at);
  }

  /** Pushes a text as UTF-8. */
  pushText(L: Pointer, text: string): void {
    const at = this.#reserve(text.length * 3);
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(at, at + text.length * 3));
    this.api.lua_pushlstring(L, at, written);
  }

  /**
   * Returns the string at the index, or the text of the number there, which becomes a string. Invalid UTF-8 is replaced, and the text is cut after
   * `maxBytes`. A byte order mark belongs to the text.
   */
  textAt(L: Pointer, index: number, maxBytes = maxTextBytes): string {
    const sizeAt = this.#reserve(4);
    const at = this.api.lua_tolstring(L, index, sizeAt);
    if (at === 0) return '';
    const size = Math.min(this.#view.getUint32(sizeAt, true), maxBytes);
    return decoder.decode(this.#bytes.subarray(at, at + size));
  }

  /** Raises an error of Lua with the position of the caller at `level`, where 1 is the function that called the host function. */
  raise(L: Pointer, message: string, level = 1): never {
    this.api.luaL_where(L, level);
    this.pushText(L, message);
    this.api.lua_concat(L, 2);
    this.api.lua_error(L);
    throw new Error('lua_error returned');
  }

  #place(instance: { readonly exports: object }): number {
    const table = this.#exports.__indirect_function_table;
    const index = table.grow(1);
    table.set(index, (instance.exports as { readonly f: unknown }).f);
    return index;
  }

  #reserve(size: number): Pointer {
    if (size <= this.#scratch.size) return this.#scratch.at;
    const larger = Math.max(size, 64 * 1024);
    const at = this.api.malloc(larger);
    if (at === 0) throw new LuaMemoryError();
    this.api.free(this.#scratch.at);
    Object.assign(this.#scratch, { at, size: larger });
    return at;
  }

  #imports(maxMemory: number): object {
    return {
      ...Object.fromEntries(unavailableImports.map(name => [name, unavailable(name)])),
      environ_sizes_get: (count: Pointer, size: Pointer) => {
        this.#view.setUint32(count, 0, true);
        this.#view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      emscripten_date_now: () => Date.now(),
      _emscripten_get_now_is_monotonic: () => 0,
      emscripten_memcpy_js: (to: Pointer, from: Pointer, size: number) =>
        void this.#bytes.copyWithin(to, from, from + size),
      emscripten_resize_heap: (wanted: number) => Number(this.#grow(wanted >>> 0, maxMemory)),
      invoke_vii: (f: number, a: number, b: number) => this.#protect(f, a, b),
      _emscripten_throw_longjmp: () => {
        throw longJump;
      },
    };
  }

  /** Grows the memory to at least `wanted` bytes. Returns false beyond the limit: Lua then raises "not enough memory". */
  #grow(wanted: number, limit: number): boolean {
    if (wanted > limit) return false;
    const spare = Math.min(limit, Math.max(wanted, Math.ceil(this.#bytes.byteLength * 1.2)));
    this.#exports.memory.grow(Math.ceil((spare - this.#bytes.byteLength) / pageSize));
    this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    this.#view = new DataView(this.#exports.memory.buffer);
    return true;
  }

  /** Calls a function of Lua in front of which setjmp was called. */
  #protect(f: number, a: number, b: number): void {
    const stack = this.#exports.stackSave();
    try {
      this.#exports.__indirect_function_table.get(f)(a, b);
    } catch (error) {
      this.#exports.stackRestore(stack);
      if (error !== longJump) throw error;
      this.#exports.setThrew(1, 0);
    }
  }

  /**
   * Lets Lua print 15 digits of a number instead of 14: scripts concatenate numbers, and gopher-lua prints integers in full.
   * differs: gopher-lua prints integers of more digits in full, too, and up to 17 digits of others; `tostring` and `string.format` do so here.
   */
  #widenNumbers(): void {
    const format = Buffer.from('%.14g\0');
    const memory = Buffer.from(this.#exports.memory.buffer);
    for (let at = memory.indexOf(format); at >= 0; at = memory.indexOf(format, at + 1)) memory[at + 3] = 0x35;
  }
}

/** An argument does not fit into the memory of the engine. */
export class LuaMemoryError extends Error {
  constructor() {
    super('not enough memory');
    this.name = 'LuaMemoryError';
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
