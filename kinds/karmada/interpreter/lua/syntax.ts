/**
 * Checks whether a text is Lua 5.1. Errors have the positions and texts of gopher-lua, which Karmada runs: the texts of the VM that runs the scripts
 * here are those of C, without the column.
 * differs: gopher-lua knows goto of Lua 5.2, too. It is refused, since the script could not run.
 */
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
