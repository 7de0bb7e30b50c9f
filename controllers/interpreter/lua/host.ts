/** Functions of Lua's libraries that behave as in gopher-lua, written here, since C's differ or may do too much. */
import { datePartsOf, dateText, localSeconds } from './date.js';
import {
  type HostFunction,
  type LuaEngine,
  luaBoolean,
  luaNil,
  luaNumber,
  luaString,
  luaTable,
  maxTextBytes,
  type Pointer,
} from '../../../lib/lua/engine.js';
import { type FormatArgument, luaFormat } from './format.js';
import { luaNumberOf } from './number-syntax.js';
import { luaNumberText } from './number-text.js';
import { luaTypeAt } from './read.js';

/** Maximum bytes of a format and of each text that `string.format` inserts. as Karmada validateStrParamsLen */
const maxTextLength = 1_000_000;

/** differs: Karmada computes with any year, and is wrong where 64 bits do not hold the result. */
const rangeMessage = 'the time is out of range';

/** Returns the text of the string or number at the index. Raises an error if it is longer than texts may be. */
function checkedText(engine: LuaEngine, L: Pointer, index: number): string {
  const length = engine.api.lua_objlen(L, index);
  if (length <= maxTextLength) return engine.textAt(L, index);
  return engine.raise(
    L,
    `string length ${length} exceeds the maximum allowed input string length ${maxTextLength} in Karmada lua string lib, please check your lua script.`,
  );
}

function argumentAt(engine: LuaEngine, L: Pointer, index: number): FormatArgument {
  const { api } = engine;
  switch (api.lua_type(L, index)) {
    case luaNumber:
      return api.lua_tonumber(L, index);
    case luaString:
      return checkedText(engine, L, index);
    case luaBoolean:
      return { type: 'boolean', text: api.lua_toboolean(L, index) ? 'true' : 'false' };
    case luaNil:
      return { type: 'nil', text: 'nil' };
  }
  const at = api.lua_topointer(L, index).toString(16).padStart(8, '0');
  return { type: 'other', text: `${luaTypeAt(engine, L, index)}: 0x${at}` };
}

/** Returns the format, which is the first argument. */
function formatAt(engine: LuaEngine, L: Pointer, name: string): string {
  const type = engine.api.lua_type(L, 1);
  if (type !== luaString && type !== luaNumber)
    engine.raise(L, `bad argument #1 to ${name} (string expected, got ${luaTypeAt(engine, L, 1)})`);
  return checkedText(engine, L, 1);
}

/** Returns the number in a field of the table at the index, or the default. */
function numberField(engine: LuaEngine, L: Pointer, index: number, name: string, byDefault: number): number {
  const { api } = engine;
  engine.pushText(L, name);
  api.lua_rawget(L, index);
  const value = api.lua_type(L, -1) === luaNumber ? Math.trunc(api.lua_tonumber(L, -1)) : byDefault;
  api.lua_settop(L, -2);
  return value;
}

/** Returns the milliseconds since 1970 of the seconds at the index. */
function timeAt(engine: LuaEngine, L: Pointer, index: number): number {
  const { api } = engine;
  if (api.lua_type(L, index) !== luaNumber)
    engine.raise(L, `bad argument #${index} to date (number expected, got ${luaTypeAt(engine, L, index)})`);
  const ms = Math.trunc(api.lua_tonumber(L, index)) * 1000;
  return Number.isNaN(new Date(ms).getTime()) ? engine.raise(L, rangeMessage) : ms;
}

function pushDateTable(engine: LuaEngine, L: Pointer, ms: number, isUtc: boolean): void {
  const { year, month, day, hour, min, sec, wday } = datePartsOf(ms, isUtc);
  engine.api.lua_createtable(L, 0, 9);
  for (const [name, value] of Object.entries({ year, month, day, hour, min, sec, wday, yday: 0, isdst: false })) {
    engine.pushText(L, name);
    if (typeof value === 'number') engine.api.lua_pushnumber(L, value);
    else engine.api.lua_pushboolean(L, Number(value));
    engine.api.lua_rawset(L, -3);
  }
}

/** Returns the functions by name. `now`: milliseconds since 1970. `random`: numbers from 0 to below 1. */
export function hostLibrary(
  engine: LuaEngine,
  now: () => number,
  random: () => number,
): Readonly<Record<string, HostFunction>> {
  const { api } = engine;
  return {
    numberText(L) {
      engine.pushText(L, luaNumberText(api.lua_tonumber(L, 1)));
      return 1;
    },
    /** Gets a text, and a base or nil. differs: a text that the engine would cut is no number. */
    numberOf(L) {
      const base = api.lua_type(L, 2) === luaNumber ? Math.trunc(api.lua_tonumber(L, 2)) : undefined;
      const isWhole = api.lua_objlen(L, 1) <= maxTextBytes;
      const number = isWhole ? luaNumberOf(engine.textAt(L, 1), base) : undefined;
      if (number === undefined) api.lua_pushnil(L);
      else api.lua_pushnumber(L, number);
      return 1;
    },
    seed(L) {
      api.lua_pushnumber(L, Math.floor(random() * 2 ** 31));
      return 1;
    },
    format(L) {
      const format = formatAt(engine, L, 'format');
      const text = luaFormat(format, api.lua_gettop(L) - 1, index => argumentAt(engine, L, index + 2));
      engine.pushText(L, text);
      return 1;
    },
    time(L) {
      let seconds = Math.floor(now() / 1000);
      if (api.lua_gettop(L) > 0) {
        if (api.lua_type(L, 1) !== luaTable)
          engine.raise(L, `bad argument #1 to time (table expected, got ${luaTypeAt(engine, L, 1)})`);
        const field = (name: string, byDefault: number): number => numberField(engine, L, 1, name, byDefault);
        const date = [field('year', -1), field('month', -1), field('day', -1)];
        seconds = localSeconds([...date, field('hour', 12), field('min', 0), field('sec', 0)]);
        if (Number.isNaN(seconds)) engine.raise(L, rangeMessage);
      }
      api.lua_pushnumber(L, seconds);
      return 1;
    },
    date(L) {
      const text = api.lua_gettop(L) > 0 ? formatAt(engine, L, 'date') : '%c';
      const isUtc = text.startsWith('!');
      const format = text.replace(/^!+/, '');
      const given = api.lua_gettop(L) > 1;
      const ms = given ? timeAt(engine, L, 2) : now();
      // A given time is printed in the zone of the process, even with "!". as Karmada osDate
      const inUtc = isUtc && !given;
      if (format.startsWith('*t')) pushDateTable(engine, L, ms, inUtc);
      else engine.pushText(L, dateText(format, datePartsOf(ms, inUtc), inUtc));
      return 1;
    },
  };
}
