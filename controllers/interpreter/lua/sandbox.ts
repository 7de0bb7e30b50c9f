/**
 * What a script finds: the base, table, string, math, os and package libraries as Karmada opens them, without what it removes. Every run gets tables
 * of its own, so that a script cannot change the libraries of another.
 * differs: `pairs` visits numbers, then texts in their order. In gopher-lua it visits the keys of an object in any order, and those that a script
 * adds in the order in which it adds them; C's order would depend on the size of the table.
 */

/** Functions of the base library that raise an error. as Karmada luavm setLib */
const refused = [
  ...['collectgarbage', 'dofile', 'getfenv', 'getmetatable', 'load', 'loadfile', 'loadstring'],
  ...['rawequal', 'rawget', 'rawset', 'setfenv', 'setmetatable', 'module', 'newproxy'],
];

const base = ['assert', 'error', 'ipairs', 'next', 'pcall', 'select', 'type', 'unpack'];

/** Functions of the string library that raise an error. as Karmada pkg/util/lifted/lua OpenSafeString */
const refusedOfString = ['dump', 'gsub', 'rep'];

const strings = ['byte', 'char', 'find', 'gmatch', 'len', 'lower', 'match', 'reverse', 'sub', 'upper'];

const tables = ['maxn', 'sort'];

const list = (names: readonly string[]): string => names.map(name => `'${name}'`).join(',');

/**
 * A chunk that gets the host's functions in a table, and returns a function that makes an environment. It runs before the first script, with the
 * whole libraries of Lua as its globals.
 */
export const sandboxScript = `
local host = ...
local error, getmetatable, ipairs, next, tostring, type = error, getmetatable, ipairs, next, tostring, type
local ceil, floor, pcall, select, tonumber = math.ceil, math.floor, pcall, select, tonumber
local concat, insert, maxn, remove, sort = table.concat, table.insert, table.maxn, table.remove, table.sort
local stringMeta = getmetatable('')

local function pick(from, names)
  local picked = {}
  for _, name in ipairs(names) do picked[name] = from[name] end
  return picked
end

local function copy(from)
  local copied = {}
  for key, value in next, from do copied[key] = value end
  return copied
end

local function refuse(message)
  return function() error(message, 2) end
end

local base = pick(_G, {${list(base)}})
for _, name in ipairs({${list(refused)}}) do
  base[name] = refuse('call function ' .. name .. ' is not supported in karmada customized resourceinterpreter.')
end
base._VERSION = _VERSION

-- C's xpcall calls the handler inside of the hook that ends a script, where no hook is called: an endless handler would go on forever.
-- A fault of the handler is the result, like what the handler returns.
local function handled(handler, ok, ...)
  if ok then return true, ... end
  local _, result = pcall(handler, ...)
  return false, result
end
local function requireFunction(value, at)
  if type(value) ~= 'function' then
    error('bad argument #' .. at .. ' to xpcall (function expected, got ' .. type(value) .. ')', 3)
  end
end
base.xpcall = function(f, handler)
  requireFunction(f, 1)
  requireFunction(handler, 2)
  return handled(handler, pcall(f))
end

local ranks = { number = 1, string = 2 }
local function before(a, b)
  local rank, other = ranks[type(a)] or 3, ranks[type(b)] or 3
  if rank ~= other then return rank < other end
  return rank < 3 and a < b
end

base.pairs = function(t)
  if type(t) ~= 'table' then error('bad argument #1 to pairs (table expected, got ' .. type(t) .. ')', 2) end
  local keys, count, isSorted = {}, 0, true
  for key in next, t do
    isSorted = isSorted and (count == 0 or before(keys[count], key))
    count = count + 1
    keys[count] = key
  end
  if not isSorted then sort(keys, before) end
  local at = 0
  return function()
    while at < count do
      at = at + 1
      local key = keys[at]
      local value = t[key]
      if value ~= nil then return key, value end
    end
  end, t, nil
end

base.print = function() end
base.tostring = function(...)
  if select('#', ...) == 0 then error('bad argument #1 to tostring (value expected)', 2) end
  local value = ...
  if value == 0 then return '0' end -- C prints the sign of a negative zero.
  if type(value) ~= 'number' or (value % 1 == 0 and value > -1e14 and value < 1e14) then return tostring(value) end
  return host.numberText(value)
end

base.tonumber = function(...)
  if select('#', ...) == 0 then error('bad argument #1 to tonumber (value expected)', 2) end
  local value, radix = ...
  if radix ~= nil and type(radix) ~= 'number' then
    error('bad argument #2 to tonumber (number expected, got ' .. type(radix) .. ')', 2)
  end
  if type(value) == 'number' then return value end
  if type(value) == 'string' then return host.numberOf(value, radix) end
  return nil
end

local stringLibrary = pick(string, {${list(strings)}})
-- Functions of the library call this with the number of their argument, and the error names their caller.
local function requireText(value, at, name)
  if type(value) ~= 'string' and type(value) ~= 'number' then
    error('bad argument #' .. at .. ' to ' .. name .. ' (string expected, got ' .. type(value) .. ')', 3)
  end
end

local byte, gmatch, match = string.byte, string.gmatch, string.match
stringLibrary.byte = function(text, ...)
  requireText(text, 1, 'byte')
  -- Without a position all bytes are meant.
  if select('#', ...) == 0 then return byte(text, 1, -1) end
  return byte(text, ...)
end
stringLibrary.gmatch = function(text, pattern)
  requireText(text, 1, 'gmatch')
  requireText(pattern, 2, 'gmatch')
  if byte(pattern) ~= 94 then return gmatch(text, pattern) end
  -- C takes the anchor "^" for a character. An anchored pattern matches once.
  local isDone = false
  return function()
    if isDone then return nil end
    isDone = true
    return match(text, pattern)
  end
end
stringLibrary.gfind = stringLibrary.gmatch
stringLibrary.format = host.format
for _, name in ipairs({${list(refusedOfString)}}) do
  stringLibrary[name] = refuse('The Lua function string.' .. name .. ' is not supported by Karmada. If you believe this function is ' ..
    'essential for your use case, please submit an issue to let us know why you need it.')
end

local tableLibrary = pick(table, {${list(tables)}})

-- Functions of the library call this with the number of their argument, and the error names their caller.
local function integerAt(value, at, name)
  if type(value) ~= 'number' then
    error('bad argument #' .. at .. ' to ' .. name .. ' (number expected, got ' .. type(value) .. ')', 3)
  end
  return value < 0 and ceil(value) or floor(value)
end

local function requireTable(value, name)
  if type(value) ~= 'table' then
    error('bad argument #1 to ' .. name .. ' (table expected, got ' .. type(value) .. ')', 3)
  end
end

tableLibrary.getn = function(t)
  requireTable(t, 'getn')
  return maxn(t)
end

tableLibrary.insert = function(t, ...)
  requireTable(t, 'insert')
  local count = select('#', ...)
  if count == 0 then error('wrong number of arguments', 2) end
  if count == 1 then return insert(t, (...)) end
  local given, value = ...
  local at = integerAt(given, 2, 'insert')
  -- Outside of the list nothing is moved.
  if at < 1 or at > #t then t[at] = value else insert(t, at, value) end
end

tableLibrary.remove = function(t, ...)
  requireTable(t, 'remove')
  local length = #t
  local at = length
  if select('#', ...) > 0 then at = integerAt((...), 2, 'remove') end
  if length == 0 or at > length then return nil end
  return remove(t, at < 1 and length or at)
end

tableLibrary.concat = function(t, separator, ...)
  requireTable(t, 'concat')
  if separator ~= nil and type(separator) ~= 'string' and type(separator) ~= 'number' then
    error('bad argument #2 to concat (string expected, got ' .. type(separator) .. ')', 2)
  end
  local first, last = ...
  local length = maxn(t)
  first = first == nil and 1 or integerAt(first, 3, 'concat')
  last = last == nil and length or integerAt(last, 4, 'concat')
  if select('#', ...) == 1 and (first > length or first < 1) then return '' end
  if first > length then first = length end
  if first < 1 then first = 1 end
  if last > length then last = length end
  local texts, count = {}, 0
  for i = first, last do
    local value = t[i]
    if type(value) ~= 'string' and type(value) ~= 'number' then
      error('invalid value (' .. type(value) .. ') at index ' .. i .. ' in table for concat', 2)
    end
    count = count + 1
    texts[count] = base.tostring(value)
  end
  return concat(texts, separator == nil and '' or base.tostring(separator))
end

local mathLibrary = copy(math)
mathLibrary.huge = 1.7976931348623157e308
mathLibrary.mod = function(a, b) return a % b end

local function numberOf(value, at, name)
  local number = tonumber(value)
  if number then return number end
  error('bad argument #' .. at .. ' to ' .. name .. ' (number expected, got ' .. type(value) .. ')', 3)
end

-- C's generator is one for all scripts. This one is that of Park and Miller ("minimal standard"), with a state for each run.
local function addRandom(library)
  local state
  local function step()
    state = state * 16807 % 2147483647
    return state
  end
  local function seed(number)
    state = floor(number) % 2147483646 + 1
    if state ~= state then state = 1 end
    for _ = 1, 3 do step() end -- Numbers after close seeds differ then.
  end
  library.randomseed = function(number) seed(numberOf(number, 1, 'randomseed')) end
  library.random = function(...)
    if not state then seed(host.seed()) end
    local number = (step() - 1) / 2147483646
    local count = select('#', ...)
    if count == 0 then return number end
    local first, last = ...
    local low, high = 1, floor(numberOf(first, 1, 'random'))
    if count > 1 then low, high = high, floor(numberOf(last, 2, 'random')) end
    if low > high then error('bad argument #' .. (count > 1 and 2 or 1) .. ' to random (interval is empty)', 2) end
    return low + floor(number * (high - low + 1))
  end
end

local osLibrary = { time = host.time, date = host.date }
local kubeLibrary = pick(host, {'resourceAdd', 'accuratePodRequirements', 'getPodDependencies', 'getResourceQuantity'})

return function()
  local env = copy(base)
  env._G = env
  env.string = copy(stringLibrary)
  env.table = copy(tableLibrary)
  env.math = copy(mathLibrary)
  addRandom(env.math)
  env.os = copy(osLibrary)
  stringMeta.__index = env.string
  local package = { loaded = { _G = env, string = env.string, table = env.table, math = env.math, os = env.os } }
  package.loaded.package = package
  package.preload = { kube = function() return copy(kubeLibrary) end }
  package.loadlib = refuse('loadlib is not supported')
  env.package = package
  env.require = function(name)
    if type(name) ~= 'string' and type(name) ~= 'number' then
      error('bad argument #1 to require (string expected, got ' .. type(name) .. ')', 2)
    end
    local loaded = package.loaded[name]
    if loaded ~= nil then return loaded end
    local loader = package.preload[name]
    if loader == nil then
      error("module " .. tostring(name) .. " not found:\\n\\tno field package.preload['" .. tostring(name) .. "'], ", 2)
    end
    local result = loader(name)
    if result == nil then result = true end
    package.loaded[name] = result
    return result
  end
  return env
end
`;
