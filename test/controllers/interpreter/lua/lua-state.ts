/** A plain state of Lua: it has the whole libraries of C, and none of the limits and environments of a `LuaVm`. */
import { hostLibrary } from '../../../../controllers/interpreter/lua/host.js';
import { kubeLibrary } from '../../../../controllers/interpreter/lua/kube.js';
import { ResultReader } from '../../../../controllers/interpreter/lua/read.js';
import { loadLuaBinary, LuaEngine, luaNil, luaOk, type Pointer, registryIndex } from '../../../../lib/lua/engine.js';

const binary = loadLuaBinary();
const limits = { resultLength: 1 << 20, resultValues: 1000 };
/** The key of the host's functions in Lua's registry. */
const hostKey = 1;
/** Positions in messages begin with it. */
const chunkName = '=test';

interface LuaStateOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Returns numbers from 0 to below 1. */
  readonly random?: () => number;
}

export class LuaState {
  readonly #engine = new LuaEngine(binary, 48 << 20);
  readonly #enter: number;
  readonly #L: Pointer;
  #body = (_L: Pointer): void => undefined;

  constructor({ now = () => 0, random = () => 0 }: LuaStateOptions = {}) {
    const engine = this.#engine;
    const { api } = engine;
    this.#enter = engine.hostFunction(L => {
      this.#body(L);
      return 0;
    });
    this.#L = api.luaL_newstate();
    const failure = this.#protected(L => {
      api.luaopen_base(L);
      api.luaopen_table(L);
      api.luaopen_string(L);
      api.luaopen_math(L);
      api.lua_createtable(L, 0, 8);
      const functions = { ...hostLibrary(engine, now, random), ...kubeLibrary(engine) };
      for (const [name, f] of Object.entries(functions)) {
        engine.pushText(L, name);
        api.lua_pushcclosure(L, engine.hostFunction(f), 0);
        api.lua_rawset(L, -3);
      }
      api.lua_rawseti(L, registryIndex, hostKey);
    });
    if (failure !== undefined) throw new Error(failure);
  }

  /**
   * Runs chunks one after the other. The first one gets the host's functions in a table, and each further one what the one before returns. Returns what
   * the last one returns, or the message of an error.
   */
  run(...chunks: readonly string[]): unknown {
    const { api } = this.#engine;
    let result: unknown;
    const failure = this.#protected(L => {
      api.lua_pushnumber(L, hostKey);
      api.lua_rawget(L, registryIndex);
      for (const chunk of chunks) {
        this.#load(L, chunk);
        api.lua_insert(L, -2); // the function stands below its argument
        api.lua_call(L, 1, 1);
      }
      if (api.lua_type(L, -1) === luaNil) return;
      result = JSON.parse(new ResultReader(this.#engine, limits).read(L, '[]'));
    });
    return failure ?? result;
  }

  #load(L: Pointer, chunk: string): void {
    const { api } = this.#engine;
    const status = this.#engine.withText(`${chunkName}\0${chunk}`, (at, size) => {
      const nameSize = chunkName.length + 1;
      return api.luaL_loadbuffer(L, at + nameSize, size - nameSize, at);
    });
    if (status !== luaOk) api.lua_error(L);
  }

  /** Returns the message of the error of Lua that ends the work; undefined if there is none. */
  #protected(work: (L: Pointer) => void): string | undefined {
    const { api } = this.#engine;
    this.#body = work;
    const status = api.lua_cpcall(this.#L, this.#enter, 0);
    const message = status === luaOk ? undefined : this.#engine.textAt(this.#L, -1);
    api.lua_settop(this.#L, 0);
    return message;
  }
}
