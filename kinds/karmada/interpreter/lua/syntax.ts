/** Whether a text is Lua 5.1, with goto. Errors are where, and as, the Lua that Karmada runs reports them. */
// as the grammar of github.com/yuin/gopher-lua/parse
import { luaReader } from './reader.js';
import { luaBlock } from './statements.js';
import { LuaError } from './tokens.js';

/** What is wrong with a script, with a line end behind it; undefined when it compiles. */
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
