/** The engine alone: texts in and out of its memory, functions of the host, errors, and the limit of memory. */
import t from 'tap';
import {
  loadLuaBinary,
  LuaEngine,
  luaMemoryError,
  LuaMemoryError,
  luaNumber,
  luaOk,
  luaString,
  luaTypeNames,
  type Pointer,
} from '../../../lib/lua/engine.js';

const binary = loadLuaBinary();
const mebibyte = 1024 * 1024;

function open(maxMemory = 32 * mebibyte): { engine: LuaEngine; L: Pointer } {
  const engine = new LuaEngine(binary, maxMemory);
  return { engine, L: engine.api.luaL_newstate() };
}

/** Calls `body` as Lua would call a function of the host. Returns the status, and the error's text or undefined. */
function protectedCall({ engine, L }: ReturnType<typeof open>, body: (L: Pointer) => void): [number, string?] {
  const enter = engine.hostFunction(L => {
    body(L);
    return 0;
  });
  const status = engine.api.lua_cpcall(L, enter, 0);
  return status === luaOk ? [status] : [status, engine.textAt(L, -1)];
}

function load(engine: LuaEngine, L: Pointer, script: string): void {
  const text = `=chunk\0${script}`;
  const status = engine.withText(text, (at, size) => engine.api.luaL_loadbuffer(L, at + 7, size - 7, at));
  if (status !== luaOk) throw new Error(engine.textAt(L, -1));
}

t.test('a text comes out as it went in', async t => {
  const { engine, L } = open();
  for (const text of ['', 'plain', 'é€😀', 'a\0b', '\ufeffmarked', 'x\ufeff', 'y'.repeat(200_000)]) {
    engine.pushText(L, text);
    t.equal(engine.textAt(L, -1), text, JSON.stringify(text.slice(0, 10)));
    t.equal(engine.api.lua_objlen(L, -1), Buffer.byteLength(text));
    engine.api.lua_settop(L, 0);
  }
  engine.pushText(L, 'a\ud800b');
  t.equal(engine.textAt(L, -1), 'a\ufffdb', 'half of a surrogate pair has no UTF-8');
});

t.test('bytes that are no UTF-8 are replaced, and a long text is cut', async t => {
  const { engine, L } = open();
  engine.withBytes(Buffer.from([0x61, 0xff, 0x62]), at => engine.api.lua_pushlstring(L, at, 3));
  t.equal(engine.textAt(L, -1), 'a\ufffdb');
  engine.pushText(L, 'abcdef');
  t.equal(engine.textAt(L, -1, 3), 'abc');
  engine.pushText(L, 'x'.repeat(5 * mebibyte));
  t.equal(engine.textAt(L, -1).length, 4 * mebibyte);
});

t.test('a number has a text of at most 15 digits; other values have none', async t => {
  const { engine, L } = open();
  for (const [value, text] of [
    [100_000_000_000_000, '100000000000000'],
    [0.1, '0.1'],
    [-1.5, '-1.5'],
  ] as const) {
    engine.api.lua_pushnumber(L, value);
    t.equal(engine.textAt(L, -1), text);
    t.equal(engine.api.lua_type(L, -1), luaString, 'it is a string then');
  }
  engine.api.lua_pushboolean(L, 1);
  t.equal(engine.textAt(L, -1), '');
  engine.api.lua_pushnumber(L, 1);
  t.equal(engine.api.lua_type(L, -1), luaNumber);
  t.equal(luaTypeNames[luaNumber], 'number');
});

t.test('a function of the host raises errors with the line of its caller', async t => {
  const opened = open();
  const { engine } = opened;
  const refuse = engine.hostFunction(L => engine.raise(L, 'refused'));
  const call = (L: Pointer): void => {
    load(engine, L, 'local f = ...\n\nf()');
    engine.api.lua_pushcclosure(L, refuse, 0);
    engine.api.lua_call(L, 1, 0);
  };
  t.strictSame(protectedCall(opened, call).at(1), 'chunk:3: refused');
  const noPosition = protectedCall(opened, L => void engine.raise(L, 'é'.repeat(100), 0));
  t.equal(noPosition[1], 'é'.repeat(100));
  t.equal(engine.isIntact, true);
});

t.test('an error of JavaScript passes every protected call of Lua', async t => {
  const opened = open();
  const { engine } = opened;
  const bug = new Error('bug');
  const fail = engine.hostFunction(() => {
    throw bug;
  });
  const script = 'local pcall, f = ... pcall(function() pcall(f) end)';
  t.throws(
    () =>
      protectedCall(opened, L => {
        engine.api.luaopen_base(L);
        engine.api.lua_settop(L, 0);
        load(engine, L, script);
        engine.pushText(L, 'pcall');
        engine.api.lua_rawget(L, -10_002); // of the globals
        engine.api.lua_pushcclosure(L, fail, 0);
        engine.api.lua_call(L, 2, 0);
      }),
    bug,
  );
});

t.test('a hook is called every so many instructions, also inside of protected calls', async t => {
  const opened = open();
  const { engine } = opened;
  let calls = 0;
  const hook = engine.hook(L => {
    if (++calls > 10) engine.raise(L, 'enough', 0);
  });
  const result = protectedCall(opened, L => {
    engine.api.lua_sethook(L, hook, 8, 1_000);
    load(engine, L, 'while true do end');
    engine.api.lua_call(L, 0, 0);
  });
  t.equal(result[1], 'chunk:1: enough', 'in a hook, level 0 is the script');
  t.equal(calls, 11);
});

t.test('the memory has a limit', async t => {
  const opened = open(18 * mebibyte);
  const { engine } = opened;
  t.ok(engine.memory <= 18 * mebibyte);
  const [status] = protectedCall(opened, L => {
    load(engine, L, 'local t = {} for i = 1, 1e8 do t[i] = i end');
    engine.api.lua_call(L, 0, 0);
  });
  t.equal(status, luaMemoryError);
  t.ok(engine.memory <= 19 * mebibyte, 'the last page may be beyond it');
  engine.api.lua_settop(opened.L, 0);
  t.throws(() => engine.withText('x'.repeat(8 * mebibyte), () => undefined), LuaMemoryError);
  t.throws(() => engine.withBytes(new Uint8Array(20 * mebibyte), () => undefined), LuaMemoryError);
  t.equal(engine.isIntact, true);
});

t.test('engines share nothing', async t => {
  const [first, second] = [open(), open()];
  first.engine.pushText(first.L, 'of the first');
  t.equal(second.engine.api.lua_gettop(second.L), 0);
  second.engine.pushText(second.L, 'of the second');
  t.equal(first.engine.textAt(first.L, -1), 'of the first');
});

t.test('calls nested as deep as Lua allows leave the engine intact', async t => {
  const opened = open();
  const { engine } = opened;
  const [status] = protectedCall(opened, L => {
    engine.api.luaopen_base(L);
    engine.api.lua_settop(L, 0);
    load(engine, L, 'local function f() local ok = pcall(f) return ok end f()');
    engine.api.lua_call(L, 0, 0);
  });
  t.equal(status, luaOk);
  t.equal(engine.isIntact, true);
});
