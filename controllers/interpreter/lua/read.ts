import { type EmptyPlaces, noEmptyPlaces, placeOf } from './empty-places.js';
import {
  type LuaEngine,
  luaBoolean,
  luaNil,
  luaNumber,
  luaString,
  luaTable,
  luaTypeNames,
  maxTextBytes,
  type Pointer,
} from '../../../lib/lua/engine.js';
import type { LuaType, ResultLimits } from './interface.js';
import { goFloat } from '../../../lib/go/go-float.js';

/** A result cannot become JSON. */
export class ConversionError extends Error {}

/** Maximum nesting of the tables of a result. */
const maxDepth = 500;

/** Returns the type of the value at the index, which must exist. */
export const luaTypeAt = (engine: LuaEngine, L: Pointer, index: number): LuaType =>
  luaTypeNames[engine.api.lua_type(L, index)] ?? 'nil';

/** Reads one result as JSON. as layeh.com/gopher-json Encode, and Karmada luavm convertEmptySliceToEmptyStructPartly */
export class ResultReader {
  readonly #engine: LuaEngine;
  readonly #limits: ResultLimits;
  readonly #empty: EmptyPlaces;
  /** Tables that were read. A second occurrence is refused, even where it is no cycle. */
  readonly #visited = new Set<Pointer>();
  #length = 0;
  #values = 0;

  constructor(engine: LuaEngine, limits: ResultLimits, empty: EmptyPlaces = noEmptyPlaces) {
    this.#engine = engine;
    this.#limits = limits;
    this.#empty = empty;
  }

  /** Returns the JSON text of the value on top of the stack; an empty table is `empty`. Throws ConversionError. */
  read(L: Pointer, empty: '{}' | '[]'): string {
    const text = this.#value(L, '', 0);
    return text ?? empty;
  }

  /** Returns undefined for an empty table that is left out, or whose kind the caller knows. */
  #value(L: Pointer, place: string, depth: number): string | undefined {
    const { api } = this.#engine;
    const { resultValues } = this.#limits;
    if (++this.#values > resultValues) throw new ConversionError(`the result has more than ${resultValues} values`);
    switch (api.lua_type(L, -1)) {
      case luaNil:
        return 'null';
      case luaBoolean:
        return this.#counted(api.lua_toboolean(L, -1) ? 'true' : 'false');
      case luaNumber:
        return this.#counted(numberText(api.lua_tonumber(L, -1)));
      case luaString:
        return this.#counted(JSON.stringify(this.#text(L, -1)));
      case luaTable:
        return this.#table(L, place, depth);
    }
    throw new ConversionError(`cannot encode ${luaTypeAt(this.#engine, L, -1)} to JSON`);
  }

  #table(L: Pointer, place: string, depth: number): string | undefined {
    const { api } = this.#engine;
    const at = api.lua_topointer(L, -1);
    if (this.#visited.has(at)) throw new ConversionError('cannot encode recursively nested tables to JSON');
    this.#visited.add(at);
    if (depth > maxDepth || api.lua_checkstack(L, 4) === 0)
      throw new ConversionError(`tables are nested more than ${maxDepth} times`);
    api.lua_pushnil(L);
    if (api.lua_next(L, -2) === 0) return this.#emptyTable(place, depth);
    const isList = api.lua_type(L, -2) === luaNumber;
    return isList ? this.#list(L, place, depth) : this.#object(L, place, depth);
  }

  #emptyTable(place: string, depth: number): string | undefined {
    if (depth === 0) return undefined;
    if (this.#empty.objects.has(place)) return this.#counted('{}');
    return this.#empty.lists.has(place) ? this.#counted('[]') : undefined;
  }

  /** Reads the entries of a list, of which the first is on the stack. Lua gives them in any order. */
  #list(L: Pointer, place: string, depth: number): string {
    const { api } = this.#engine;
    const items = new Map<number, string | undefined>();
    let largest = 0;
    do {
      if (api.lua_type(L, -2) !== luaNumber) throw new ConversionError('cannot encode mixed or invalid key types');
      const index = api.lua_tonumber(L, -2);
      if (!Number.isInteger(index) || index < 1) throw new ConversionError('cannot encode sparse array');
      largest = Math.max(largest, index);
      items.set(index, this.#value(L, place, depth + 1));
      api.lua_settop(L, -2);
    } while (api.lua_next(L, -2) !== 0);
    if (largest !== items.size) throw new ConversionError('cannot encode sparse array');
    const texts: string[] = [];
    for (let index = 1; index <= largest; index++) {
      const text = items.get(index);
      if (text !== undefined) texts.push(text);
    }
    return `[${texts.join(',')}]`;
  }

  /** Reads the entries of an object, of which the first is on the stack. */
  #object(L: Pointer, place: string, depth: number): string {
    const { api } = this.#engine;
    const texts: string[] = [];
    do {
      if (api.lua_type(L, -2) !== luaString) throw new ConversionError('cannot encode mixed or invalid key types');
      const key = this.#text(L, -2);
      const text = this.#value(L, placeOf(place, key), depth + 1);
      if (text !== undefined) texts.push(this.#counted(`${JSON.stringify(key)}:`) + text);
      api.lua_settop(L, -2);
    } while (api.lua_next(L, -2) !== 0);
    return `{${texts.join(',')}}`;
  }

  /** Returns the string at the index. Throws ConversionError for one that the engine would cut. */
  #text(L: Pointer, index: number): string {
    if (this.#engine.api.lua_objlen(L, index) > maxTextBytes)
      throw new ConversionError(`the result has a text of more than ${maxTextBytes} bytes`);
    return this.#engine.textAt(L, index);
  }

  #counted(text: string): string {
    const { resultLength } = this.#limits;
    this.#length += text.length + 1;
    if (this.#length > resultLength)
      throw new ConversionError(`the result has more than ${resultLength} characters of JSON`);
    return text;
  }
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new ConversionError(`unsupported value: ${goFloat(value)}`);
  return JSON.stringify(value);
}
