import t from 'tap';
import { BlockReader } from '../../../../apiserver/negotiate/protobuf/block-reader.js';
import { nativeDescription } from '../../../../openapi/facts/descriptions.js';
import { openApiV3Protobuf } from '../../../../openapi/publish/protobuf/openapi-v3-protobuf.js';
import { publications } from '../../../../openapi/publish/publications.js';
import { nativePublished, sourceOf, toProtobuf } from '../sources.js';

/** Number of a field -> its values: bytes of messages and texts, or numbers. */
type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>();
  const reader = new BlockReader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const value =
      (tag & 7) === 0 ? reader.varint() : (tag & 7) === 1 ? reader.double() : Buffer.from(reader.block().bytes());
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), value]);
  }
  return fields;
}

/** Returns the value at a path of field numbers, the first one of each field. */
function at(bytes: Buffer, ...path: number[]): Buffer {
  const [number, ...others] = path;
  if (number === undefined) return bytes;
  const [found] = fieldsOf(bytes).get(number) ?? [];
  if (!Buffer.isBuffer(found)) throw new Error(`no field ${number}`);
  return at(found, ...others);
}

/** Returns the value of a name in a map. */
function named(bytes: Buffer, list: number, name: string): Buffer {
  const found = (fieldsOf(bytes).get(list) ?? []).find(item => at(item as Buffer, 1).toString() === name);
  if (!found) throw new Error(`no ${name}`);
  return at(found as Buffer, 2);
}

t.test('a document is encoded in the messages of gnostic', async t => {
  const source = sourceOf(nativePublished(), { describe: nativeDescription });
  const documents = publications(source, toProtobuf);
  const document = Buffer.from((await documents.openApiV3Protobuf('apis/apps/v1')) ?? []);
  t.equal(at(document, 1).toString(), '3.0.0');
  t.equal(at(document, 2, 1).toString(), 'Kubernetes');
  t.equal(at(document, 2, 6).toString(), 'unversioned');

  const schemas = at(document, 5, 1);
  const strategy = at(named(schemas, 1, 'io.k8s.api.apps.v1.DeploymentStrategy'), 1);
  t.equal(at(strategy, 25).toString(), 'object');
  t.match(at(strategy, 34).toString(), /^DeploymentStrategy describes how to replace/);
  const rolling = at(named(at(strategy, 31), 1, 'rollingUpdate'), 1);
  t.equal(
    at(rolling, 26, 2, 1).toString(),
    '#/components/schemas/io.k8s.api.apps.v1.RollingUpdateDeployment',
    'a reference beside a text',
  );
  const spec = at(named(schemas, 1, 'io.k8s.api.core.v1.PodSpec'), 1);
  const containers = at(named(at(spec, 31), 1, 'containers'), 1);
  t.equal(at(containers, 30, 1, 2, 1).toString(), '#/components/schemas/io.k8s.api.core.v1.Container');
  t.equal(at(named(containers, 36, 'x-kubernetes-patch-merge-key'), 2).toString(), '"name"');
  t.equal(at(spec, 23).toString(), 'containers', 'required fields');

  const path = named(at(document, 4), 1, '/apis/apps/v1/namespaces/{namespace}/deployments/{name}');
  const patch = at(path, 10);
  t.equal(at(patch, 5).toString(), 'patchAppsV1NamespacedDeployment');
  t.equal(at(named(patch, 13, 'x-kubernetes-action'), 2).toString(), '"patch"');
  const body = at(patch, 7, 1, 2);
  const apply = named(body, 1, 'application/apply-patch+yaml');
  t.equal(at(apply, 1, 2, 1).toString(), '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch');
  const ok = at(named(at(patch, 8), 2, '200'), 1);
  t.equal(at(ok, 1).toString(), 'OK');
  t.equal(documents.openApiV3Protobuf('apis/no/v1'), undefined);
  t.equal(documents.openApiV3Protobuf('apis/apps/v1'), documents.openApiV3Protobuf('apis/apps/v1'), 'made once');
  t.end();
});

t.test('defaults and alternatives are encoded', t => {
  const schema = (given: object): Buffer => {
    const bytes = openApiV3Protobuf({ openapi: '3.0.0', components: { schemas: { a: given } } });
    return at(named(at(bytes, 5, 1), 1, 'a'), 1);
  };
  t.equal(at(schema({ default: 'x' }), 33, 3).toString(), 'x');
  t.same(fieldsOf(at(schema({ default: 5 }), 33)).get(1), [5]);
  t.equal(at(schema({ default: {} }), 33).length, 0);
  t.same(fieldsOf(at(schema({ additionalProperties: true }), 32)).get(2), [1]);
  t.equal(fieldsOf(schema({ oneOf: [{ type: 'string' }, { type: 'number' }] })).get(27)?.length, 2);
  t.equal(at(schema({ not: { type: 'string' } }), 29, 25).toString(), 'string');
  t.end();
});
