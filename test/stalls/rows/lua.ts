/** Scripts of ResourceInterpreterCustomizations, with controllers and a simulated member. */
import { setTimeout } from 'node:timers/promises';
import { type Fixture, requests, type Row } from '../row.js';
import { policyOf } from './karmada.js';
import { configMap, configMaps, get, object, post, remove } from './objects.js';

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
  for (let i = 0; i < 500; i++) {
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
const faulty = (name: string, size: number, body: (size: number) => string): Row =>
  requests(`lua/${name}`, size, function* (times, _random, fixture) {
    yield post(customizations, customization(fixture.name(), `${body(times)} x y`));
  });

/** Propagates a ConfigMap whose replicas a script computes. */
const script = (name: string, size: number, body: (size: number) => string): Row => ({
  name: `lua/${name}`,
  size,
  flags,
  retainedBytes: retained,
  rounds: 1,
  async play(fixture) {
    const own = fixture.name();
    const luaScript = `function GetReplicas(o) ${body(fixture.size)} end`;
    const policy = policyOf(own, { resourceSelectors: [{ ...configMapKind, name: own }] });
    await fixture.must(post(customizations, customization(own, luaScript)));
    await fixture.must(post(policies, policy));
    await fixture.must(post(configMaps, configMap(own)));
    await failed(fixture, own);
    await fixture.must(remove(`${configMaps}/${own}`));
    await fixture.must(remove(`${policies}/${own}`));
    await fixture.must(remove(`${customizations}/${own}`));
  },
});

const doubled = (times: number): string => `local s = "a" for i = 1, ${times} do s = s .. s end`;

export const luaRows: readonly Row[] = [
  faulty('syntax-lines', 900_000, size => '\n'.repeat(size)),
  faulty('syntax-statements', 150_000, size => 'x = 1 '.repeat(size)),
  faulty('syntax-deep', 900_000, size => `return ${'('.repeat(size)}`),
  script('endless', 1, () => 'while true do pcall(function() while true do end end) end'),
  script('handlers', 1, () => 'while true do xpcall(error, function() while true do end end) end'),
  script('patterns', 17, size => `${doubled(size)} string.find(s, ("(.-)") .. ${'"(.-)" .. '.repeat(28)} "b")`),
  script('tables', 1, () => 'local t = {} while true do t[#t + 1] = {1, 2, 3} end'),
  script('strings', 40, doubled),
  script('requirements', 400_000, size => `local t = {} for i = 1, ${size} do t[i] = "xxxxxxxx" end return 1, t`),
  script('deep', 100_000, size => `local t = {} for i = 1, ${size} do t = {a = t} end return 1, t`),
  script('errors', 24, size => `${doubled(size)} error(s)`),
];
