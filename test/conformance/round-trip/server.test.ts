/** Nothing is lost on the way through a server: create, get, update and apply, in JSON, YAML and protobuf. */
import t, { type Test } from 'tap';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { decodeProtobuf, encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { type NativeResource, nativeResources } from '../../../openapi/facts/resources.js';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { type HttpClient, httpClient } from '../../apiserver/http-client.js';
import { runningServer } from '../../apiserver/running.js';
import { nearlyFull, tooFar } from './acceptable.js';
import { fit } from './fit.js';
import { leaves } from './full-object.js';

const protobuf = 'application/vnd.kubernetes.protobuf';
const strict = 'fieldValidation=Strict';
type Plain = Record<string, unknown>;

function pathOf({ group, version, namespaced, plural }: NativeResource): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`;
}

/** Returns the paths of values of `sent` that are not in `got`. */
function lost(sent: unknown, got: unknown, path = ''): string[] {
  if (typeof sent !== 'object' || sent === null) return sent === got ? [] : [`${path}: ${String(sent)}`];
  return Object.entries(sent).flatMap(([key, value]) =>
    lost(value, (got as Plain | undefined)?.[key], path === '' ? key : `${path}.${key}`),
  );
}

const plain = (object: KubeObject): Plain => JSON.parse(JSON.stringify(object)) as Plain;

/** Sent fields that the server drops or sets, by the rules of the kind or since a feature gate is off. */
const decided: Readonly<Record<string, readonly string[]>> = {
  csidrivers: ['spec.preventPodSchedulingIfMissing'],
  leases: ['spec.strategy', 'spec.preferredHolder'],
  nodes: ['spec.configSource'],
  persistentvolumeclaims: ['spec.dataSource', 'spec.dataSourceRef'],
  secrets: ['data', 'stringData'],
  serviceaccounts: ['secrets'],
};

async function trip(t: Test, ask: HttpClient, resource: NativeResource): Promise<number> {
  const path = pathOf(resource);
  const schema = nativeSchema(resource.typeName);
  const full = await fit(nearlyFull(resource), async body => {
    const answer = await ask(`POST ${path}?dryRun=All&${strict}`, { body });
    return answer.status === 201 ? undefined : answer.json;
  });
  const sent = plain(canonical<KubeObject>(full, schema).object);
  const lostOf = (got: unknown): string[] =>
    lost(sent, got).filter(line => !decided[resource.plural]?.some(field => line.startsWith(field)));

  const created = await ask(`POST ${path}?${strict}`, { body: full });
  t.equal(created.status, 201, created.status === 201 ? 'created' : created.text);
  t.same(lostOf(created.json), [], 'create keeps all fields');
  const one = `${path}/${full.metadata.name}`;
  const json = await ask(`GET ${one}`);
  t.equal(json.text, created.text, 'get returns the answer of create');
  const yaml = readYaml((await ask(`GET ${one}`, { accept: 'application/yaml' })).text);
  t.same(yaml.type === 'value' && yaml.value, json.json, 'YAML has the same fields');
  const { bytes } = await ask(`GET ${one}`, { accept: protobuf });
  const stored = canonical<Plain>(decodeProtobuf(bytes, { apiVersion: '', kind: '' }), schema).object;
  t.same(stored, json.json, 'protobuf has the same fields');

  for (const [form, body, type] of [
    ['protobuf', encodeProtobuf(stored), protobuf],
    ['JSON', json.text, 'application/json'],
  ] as const) {
    const updated = await ask(`PUT ${one}?${strict}`, { body, type });
    t.equal(updated.text, json.text, `an update in ${form} with the current object changes nothing`);
  }

  const {
    managedFields: _,
    resourceVersion: __,
    uid: ___,
    creationTimestamp: ____,
    ...metadata
  } = json.json.metadata as unknown as Plain;
  const applied = { ...sent, metadata: { ...metadata, generation: undefined } };
  const type = 'application/apply-patch+yaml';
  const owned = await ask(`PATCH ${one}?fieldManager=trip&force=true`, { body: applied, type });
  t.equal(owned.status, 200, owned.status === 200 ? 'applied' : owned.text);
  t.same(lostOf(owned.json), [], 'apply keeps all fields');
  const again = await ask(`PATCH ${one}?fieldManager=trip`, { body: applied, type });
  t.equal(again.text, owned.text, 'a second identical apply changes nothing');
  return leaves(sent).length;
}

t.test('all stored kinds keep all fields', async t => {
  // No controller may write the status of the tested objects.
  const server = await runningServer(t, { limits: { priorityAndFairness: false } });
  const ask = httpClient(t, server);
  const stored = nativeResources().filter(
    r => r.onByDefault && ['create', 'get', 'update'].every(verb => r.verbs.includes(verb)) && !tooFar.has(r.plural),
  );
  let fields = 0;
  for (const resource of stored) {
    const { group, version, kind } = resource;
    await t.test(`${group}/${version} ${kind}`, async t => {
      fields += await trip(t, ask, resource);
    });
  }
  t.ok(fields > 2800, `${fields} fields of ${stored.length} kinds`);
});
