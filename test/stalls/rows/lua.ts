/** Scripts of ResourceInterpreterCustomizations, with controllers and a simulated member. */
import { setTimeout } from 'node:timers/promises';
import { type Fixture, requests, type Row } from '../row.js';
import { policyOf } from './karmada.js';
import { configMap, configMaps, get, object, post, range, remove } from './objects.js';

const flags = ['--members', '1'];
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const customizations = '/apis/config.karmada.io/v1alpha1/resourceinterpretercustomizations';
const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const events = '/api/v1/namespaces/default/events';

/** Bytes in the watch history, and of the threads with Lua, whose memory Node.js does not give back at once. */
const retained = 192 << 20;

/** Waits until the script has failed for the template. */
async function failed(fixture: Fixture, name: string): Promise<void> {
  const fields = encodeURIComponent(`involvedObject.name=${name},reason=GetReplicasFailed`);
  for (let i = 0; i < 1500; i++) {
    const { text } = await fixture.send(get(`${events}?fieldSelector=${fields}`));
    if (text.includes('GetReplicasFailed')) return;
    await setTimeout(20);
  }
  throw new Error(`the script for ${name} has not failed`);
}

const customization = (name: string, luaScript: string): object =>
  object('config.karmada.io/v1alpha1', 'ResourceInterpreterCustomization', name, {
    spec: { target: configMapKind, customizations: { replicaResource: { luaScript } } },
  });

/** Writes scripts whose fault stands at the end. */
const faulty = (name: string, size: number, body: (size: number) => string): Row => ({
  ...requests(`lua/${name}`, size, function* (times, _random, fixture) {
    yield post(customizations, customization(fixture.name(), `${body(times)} x y`));
  }),
  limitsLatency: true,
});

/** Propagates ConfigMaps, so many at a time, whose replicas a script computes, which fails. */
const scripts = (
  templates: number,
  name: string,
  size: number,
  body: (size: number, warmUp: boolean) => string,
): Row => ({
  name: `lua/${name}`,
  size,
  flags,
  retainedBytes: retained,
  limitsLatency: true,
  async play(fixture) {
    const own = fixture.name();
    const names = range(templates, i => `${own}-${i}`);
    const luaScript = `function GetReplicas(o) ${body(fixture.size, fixture.warmUp)} end`;
    const policy = policyOf(own, { resourceSelectors: names.map(name => ({ ...configMapKind, name })) });
    await fixture.must(post(customizations, customization(own, luaScript)));
    await fixture.must(post(policies, policy));
    for (const name of names) await fixture.must(post(configMaps, configMap(name)));
    for (const name of names) await failed(fixture, name);
    for (const name of names) await fixture.must(remove(`${configMaps}/${name}`));
    await fixture.must(remove(`${policies}/${own}`));
    await fixture.must(remove(`${customizations}/${own}`));
  },
});

/** With more ConfigMaps at a time than there are threads with Lua. */
const script = (name: string, size: number, body: (size: number) => string): Row => scripts(4, name, size, body);

/**
 * The script takes long, which is tried for one ConfigMap only, since such scripts wait for each other. What the server does in its own thread for a script
 * that is late or fails is the same, so that another one that fails is enough for the play that is not measured.
 */
const slowScript = (name: string, size: number, body: (size: number) => string): Row =>
  scripts(1, name, size, (size, warmUp) => (warmUp ? 'error("x")' : body(size)));

const doubled = (times: number): string => `local s = "a" for i = 1, ${times} do s = s .. s end`;
const endless = (statements: string): string => `while true do ${statements} end`;

/** Scripts find no coroutines and cannot set metatables, except for the one of strings, whose functions they may replace. */
const refusedRows: readonly Row[] = [
  slowScript('coroutines-wrap', 1, () =>
    endless('pcall(function() coroutine.wrap(function() coroutine.yield() end)() end)'),
  ),
  slowScript('coroutines-nested', 1, () =>
    endless(
      'local function go(f) local c = coroutine.create(function() f(f) coroutine.yield() end) coroutine.resume(c) end pcall(go, go)',
    ),
  ),
  slowScript('metatables', 1, () => {
    const events = '{ __index = t, __gc = error, __tostring = error, __call = error, __concat = error }';
    return `local t = {} ${endless(`pcall(setmetatable, t, ${events}) pcall(getmetatable, "") local x = t.x`)}`;
  }),
  script('metatables-strings', 1, () => 'string.loop = function(s) return 1 + s:loop() end return ("x"):loop()'),
  slowScript(
    'metatables-index',
    1,
    () => `string.tostring = tostring ${endless('pcall(function() return ("x").y.z end)')}`,
  ),
];

const errorRows: readonly Row[] = [
  script('errors', 24, size => `${doubled(size)} error(s)`),
  slowScript('errors-tables', 300_000, size => `local t = {} for i = 1, ${size} do t[i] = "x" .. i end error(t)`),
  slowScript('errors-of-errors', 1, () =>
    endless('local ok, e = pcall(error, { pcall(error, error) }) pcall(error, e)'),
  ),
  slowScript(
    'errors-in-handlers',
    1,
    () => 'local function h(e) return xpcall(error, h) and h(e) end return h() .. error("x")',
  ),
  slowScript('errors-retried', 20, size => `${doubled(size)} ${endless('pcall(error, s .. "x")')}`),
  script('errors-deep', 1, () => 'local function f(n) return pcall(f, n + 1) and error("x") end f(1) error("x")'),
];

const resultRows: readonly Row[] = [
  script('requirements', 400_000, size => `local t = {} for i = 1, ${size} do t[i] = "xxxxxxxx" end return 1, t`),
  script('deep', 100_000, size => `local t = {} for i = 1, ${size} do t = {a = t} end return 1, t`),
  script('results-cycles', 1, () => 'return 1, _G'),
  script('results-texts', 24, size => `${doubled(size)} return 1, {a = s, [s] = s, f = error}`),
  script('results-shared', 28, size => `local t = {"x"} for i = 1, ${size} do t = {t, t} end return 1, t`),
  script('results-sparse', 1, () => 'return 1, {[1] = 1, [1e9] = 1, [2 ^ 53] = 1}'),
];

const bombRows: readonly Row[] = [
  slowScript('patterns', 17, size => `${doubled(size)} string.find(s, ("(.-)") .. ${'"(.-)" .. '.repeat(28)} "b")`),
  slowScript(
    'patterns-optional',
    12,
    size => `${doubled(size)} ${endless(`s:match("${'a?'.repeat(60)}${'a'.repeat(60)}b")`)}`,
  ),
  slowScript(
    'patterns-balanced',
    20,
    size => `${doubled(size)} ${endless('for x in s:gmatch("%ba%f[b]") do end s:find("%baa-b")')}`,
  ),
  slowScript('tables', 1, () => 'local t = {} while true do t[#t + 1] = {1, 2, 3} end'),
  slowScript('tables-keys', 1, () => `local t, i = {}, 0 ${endless('i = i + 1 t["k" .. i] = i')}`),
  slowScript('tables-sort', 200_000, size => {
    const fill = `local t = {} for i = 1, ${size} do t[i] = i % 7 end`;
    return `${fill} ${endless('pcall(table.sort, t, function() return true end) for k in pairs(t) do end')}`;
  }),
  slowScript('tables-unpack', 1, () => endless('pcall(unpack, {}, 1, 1e8) pcall(unpack, {}, 1, 7000)')),
  script('strings', 40, doubled),
  script(
    'strings-concat',
    20,
    size => `${doubled(size)} local t = {} for i = 1, 200 do t[i] = s end return table.concat(t)`,
  ),
  slowScript('strings-format', 1, () => endless('pcall(string.format, "%999999d%.999999f%999999s", 1, 1, "x")')),
];

export const luaRows: readonly Row[] = [
  faulty('syntax-lines', 900_000, size => '\n'.repeat(size)),
  faulty('syntax-statements', 150_000, size => 'x = 1 '.repeat(size)),
  faulty('syntax-deep', 900_000, size => `return ${'('.repeat(size)}`),
  slowScript('endless', 1, () => 'while true do pcall(function() while true do end end) end'),
  slowScript('handlers', 1, () => 'while true do xpcall(error, function() while true do end end) end'),
  ...refusedRows,
  ...errorRows,
  ...resultRows,
  ...bombRows,
];
