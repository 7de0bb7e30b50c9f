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

const base = ['assert', 'error', 'ipairs', 'next', 'pcall', 'select', 'tonumber', 'type', 'unpack'];

/** Functions of the string library that raise an error. as Karmada pkg/util/lifted/lua OpenSafeString */
const refusedOfString = ['dump', 'gsub', 'rep'];

const strings = ['byte', 'char', 'find', 'gmatch', 'len', 'lower', 'match', 'reverse', 'sub', 'upper'];

const tables = ['concat', 'getn', 'insert', 'maxn', 'remove', 'sort'];

const list = (names: readonly string[]): string => names.map(name => `'${name}'`).join(',');

/**
 * A chunk that gets the host's functions in a table, and returns a function that makes an environment. It runs before the first script, with the
 * whole libraries of Lua as its globals.
 */
export const sandboxScript = `
local host = ...
local error, getmetatable, ipairs, next, tostring, type = error, getmetatable, ipairs, next, tostring, type
local floor, pcall, select, sort, tonumber = math.floor, pcall, select, table.sort, tonumber
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
local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end
base.xpcall = function(f, handler) return handled(handler, pcall(f)) end

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
base.tostring = function(value)
  if type(value) ~= 'number' or (value % 1 == 0 and value > -1e14 and value < 1e14) then return tostring(value) end
  return host.numberText(value)
end

local stringLibrary = pick(string, {${list(strings)}})
stringLibrary.gfind = stringLibrary.gmatch
stringLibrary.format = host.format
for _, name in ipairs({${list(refusedOfString)}}) do
  stringLibrary[name] = refuse('The Lua function string.' .. name .. ' is not supported by Karmada. If you believe this function is ' ..
    'essential for your use case, please submit an issue to let us know why you need it.')
end

local tableLibrary = pick(table, {${list(tables)}})
local mathLibrary = copy(math)

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
