/** The functions of the host, called by Lua without the sandbox around them. */
import t from 'tap';
import { LuaState } from './lua-state.js';

const ms = Date.UTC(2026, 0, 4, 15, 4, 9, 999); // a Sunday
const state = new LuaState({ now: () => ms, random: () => 0.5 });

/** Returns the value of an expression of Lua in which `host` has the functions, or the message of its error. */
const value = (expression: string, of = state): unknown => of.run(`local host = ... return (${expression})`);

/** Runs the work in a zone. It must not wait, since the zone is that of the process. */
function inZone<T>(zone: string, work: () => T): T {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  try {
    return work();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

t.test('numbers become texts as in gopher-lua', async t => {
  t.equal(value('host.numberText(1e15)'), '1000000000000000');
  t.equal(value('host.numberText(0.1 + 0.2)'), '0.30000000000000004');
  t.equal(value('host.numberText(-1 / 0)'), '-Inf');
});

t.test('texts become numbers as in gopher-lua, in the given base', async t => {
  t.equal(value('host.numberOf(" 0x1F ")'), 31);
  t.equal(value('host.numberOf("1F", 16)'), 31);
  t.equal(value('host.numberOf("z", 36.9)'), 35, 'the base is an integer');
  t.equal(value('host.numberOf("z", 35.9)'), undefined);
  t.equal(value('host.numberOf("10", nil)'), 10);
  t.equal(value('host.numberOf("ten")'), undefined);
});

t.test('a text that the engine would cut is no number', async t => {
  const padded = (spaces: number): string => `host.numberOf("5" .. string.rep(" ", ${spaces}))`;
  t.equal(value(padded(4 * 1024 * 1024 - 1)), 5);
  t.equal(value(padded(4 * 1024 * 1024)), undefined);
});

t.test('a seed is an integer of 31 bits', async t => {
  t.equal(value('host.seed()'), 2 ** 30);
  t.equal(value('host.seed()', new LuaState({ random: () => 1 - 2 ** -53 })), 2 ** 31 - 1);
  t.equal(value('host.seed()', new LuaState({ random: () => 0 })), 0);
});

t.test('a format gets values of all types', async t => {
  t.equal(value('host.format("%d %s %t", 1, "a", true)'), '1 a true');
  t.equal(value('host.format(5)'), '5', 'a number is a format');
  t.equal(value('host.format("%s %s", nil, false)'), 'nil false');
  t.equal(value('host.format("%s")'), '%!s(MISSING)');
  t.match(value('host.format("%s", {})'), /^table: 0x[\da-f]{8}$/);
  t.match(value('host.format("%s", print)'), /^function: 0x[\da-f]{8}$/);
  t.equal(value('host.format()'), 'test:1: bad argument #1 to format (string expected, got nil)');
  t.equal(value('host.format({})'), 'test:1: bad argument #1 to format (string expected, got table)');
});

t.test('a format and each of its texts have at most a million bytes', async t => {
  const message =
    'test:1: string length 1000001 exceeds the maximum allowed input string length 1000000 in Karmada lua string lib, please check your lua script.';
  for (const [bytes, expected] of [
    [1_000_000, 1_000_000],
    [1_000_001, message],
  ] as const) {
    t.equal(value(`#host.format(string.rep("x", ${bytes}))`), expected, 'the format');
    t.equal(value(`#host.format("%s", string.rep("x", ${bytes}))`), expected, 'an argument');
  }
  t.match(value('host.format("%s %s", "a", string.rep("\\195\\169", 500001))'), /string length 1000002 exceeds/);
});

t.test('the time is in whole seconds, also before 1970', async t => {
  t.equal(value('host.time()'), Math.floor(ms / 1000));
  t.equal(value('host.time()', new LuaState({ now: () => -1 })), -1);
});

t.test('the time of a table is local, and noon without an hour', async t => {
  const seconds = (...parts: [number, number, number, number, number?, number?]): number =>
    new Date(parts[0], parts[1] - 1, parts[2], parts[3], parts[4] ?? 0, parts[5] ?? 0).getTime() / 1000;
  for (const zone of ['UTC', 'Asia/Kolkata'])
    inZone(zone, () => {
      const day = 'year = 2026, month = 2, day = 3';
      t.equal(value(`host.time({${day}})`), seconds(2026, 2, 3, 12), zone);
      t.equal(value(`host.time({${day}, hour = 0, min = 59, sec = 58})`), seconds(2026, 2, 3, 0, 59, 58), zone);
    });
  const midnight = value('host.time({year = 2026, month = 2, day = 3, hour = 0})');
  t.equal(value('host.time({year = 2026.9, month = 2.9, day = 3.9, hour = 0.9})'), midnight, 'fractions are cut off');
  t.equal(
    value('host.time({year = 2026, month = 2, day = 3, hour = "0"})'),
    value('host.time({year = 2026, month = 2, day = 3})'),
    'what is no number is not there',
  );
  t.equal(
    value('host.time({year = 2026, month = 2})'),
    value('host.time({year = 2026, month = 2, day = -1})'),
    'a part that is missing is -1',
  );
});

t.test('a time that is no table, or out of range, is refused', async t => {
  t.equal(value('host.time(1)'), 'test:1: bad argument #1 to time (table expected, got number)');
  t.equal(value('host.time(nil)'), 'test:1: bad argument #1 to time (table expected, got nil)');
  t.equal(value('host.time({year = 1e10})'), 'test:1: the time is out of range');
});

t.test('the date of now is local, and in UTC with an exclamation mark', async t => {
  inZone('Asia/Kolkata', () => {
    t.equal(value('host.date("%H:%M:%S %z")'), '20:34:09 +0530');
    t.equal(value('host.date("!%H:%M:%S %z")'), '15:04:09 +0000');
    t.equal(value('host.date("!!%H")'), '15', 'further marks are no part of the format');
    t.equal(value('host.date()'), value('host.date("%c")'), 'without a format');
  });
});

t.test('a given date is local in spite of an exclamation mark', async t => {
  inZone('Asia/Kolkata', () => {
    t.equal(value('host.date("!%H:%M:%S", 1)'), '05:30:01');
    t.equal(value('host.date("%S", 1.9)'), '01', 'fractions are cut off');
    t.equal(value('host.date("%S", -1.9)'), '59');
  });
});

t.test('a date as a table has the parts of the time', async t => {
  inZone('Asia/Kolkata', () => {
    const parts = { year: 2026, month: 1, day: 4, min: 4, sec: 9, wday: 1, yday: 0, isdst: false };
    t.strictSame(value('host.date("!*t")'), { ...parts, hour: 15 });
    t.strictSame(value('host.date("*t")'), { ...parts, hour: 20, min: 34 });
    t.strictSame(value('host.date("*time")'), { ...parts, hour: 20, min: 34 }, 'the rest of the format has no meaning');
  });
});

t.test('a date that is out of range, or no number, is refused', async t => {
  t.equal(value('host.date("%d", 8.64e12) ~= nil'), true, 'the last one');
  t.equal(value('host.date("%d", 8.64e12 + 1)'), 'test:1: the time is out of range');
  t.equal(value('host.date("*t", 0 / 0)'), 'test:1: the time is out of range');
  t.equal(value('host.date("%d", "1")'), 'test:1: bad argument #2 to date (number expected, got string)');
  t.equal(value('host.date("%d", nil)'), 'test:1: bad argument #2 to date (number expected, got nil)');
  t.equal(value('host.date({})'), 'test:1: bad argument #1 to date (string expected, got table)');
});
