import type { LuaEngine, Pointer } from '../../../lib/lua/engine.js';

/** Stack slots for one level of nesting: a table, a key and a value. */
const slotsPerLevel = 4;

/**
 * Pushes a JSON value. Raises an error of Lua if it does not fit: call it inside a protected call. Items of a list that are null are left out, and so
 * are null fields. as layeh.com/gopher-json DecodeValue
 */
export function pushJson(engine: LuaEngine, L: Pointer, value: unknown): void {
  const { api } = engine;
  if (typeof value === 'string') engine.pushText(L, value);
  else if (typeof value === 'number' || typeof value === 'bigint') api.lua_pushnumber(L, Number(value));
  else if (typeof value === 'boolean') api.lua_pushboolean(L, value ? 1 : 0);
  else if (typeof value === 'object' && value !== null) pushContainer(engine, L, value);
  else api.lua_pushnil(L);
}

function pushContainer(engine: LuaEngine, L: Pointer, value: object): void {
  const { api } = engine;
  if (api.lua_checkstack(L, slotsPerLevel) === 0) engine.raise(L, 'the object is nested too deeply', 0);
  if (Array.isArray(value)) {
    api.lua_createtable(L, value.length, 0);
    let index = 0;
    for (const item of value as unknown[]) {
      if (item === null) continue;
      pushJson(engine, L, item);
      api.lua_rawseti(L, -2, ++index);
    }
    return;
  }
  const entries = Object.entries(value);
  api.lua_createtable(L, 0, entries.length);
  for (const [key, item] of entries) {
    if (item === null || item === undefined) continue;
    engine.pushText(L, key);
    pushJson(engine, L, item);
    api.lua_rawset(L, -3);
  }
}
