/** Checks whether a text is Lua 5.1, with goto. Errors have the positions and texts of the Lua implementation that Karmada runs. */
// as the grammar of github.com/yuin/gopher-lua/parse
import { luaReader } from './reader.js';
import { luaBlock } from './statements.js';
import { LuaError } from './tokens.js';

/** Returns what is wrong with a script, with a newline at the end; undefined if it compiles. */
export function luaSyntaxError(source: string): string | undefined {
  try {
    const reader = luaReader(source);
    luaBlock(reader)({ loops: 0, hasVarargs: true });
    if (reader.token().type !== 'end of file') reader.fail();
    return reader.misuse();
  } catch (error) {
    if (error instanceof LuaError) return error.message;
    throw error;
  }
}
