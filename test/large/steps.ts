/** Requests with one large object, one after the other. */
import { encodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Asked } from './server.js';
import type { Shape } from './shapes/shape.js';

export interface Step {
  readonly name: string;
  readonly asked: Asked;
}

const protobuf = 'application/vnd.kubernetes.protobuf';
const meta = 'g=meta.k8s.io;v=v1';

/** `large`: the object that is sent. */
export function* stepsOf(shape: Shape, large: KubeObject): Generator<Step> {
  const { collection } = shape;
  const name = 'large';
  const path = `${collection}/${name}`;
  const text = JSON.stringify(large);
  const base = shape.make(1);
  const small = JSON.stringify(base);
  const { metadata: _, ...rest } = large as unknown as Record<string, unknown>;
  const { name: _n, namespace: _ns, ...restMeta } = large.metadata;
  const change = { ...rest, ...(Object.keys(restMeta).length > 0 && { metadata: restMeta }) };
  const create = { method: 'POST', path: collection };
  const patch = (type: string, body: unknown, query = ''): Asked => ({
    method: 'PATCH',
    path: `${path}${query}`,
    type: `application/${type}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const remove: Step = { name: 'DELETE', asked: { method: 'DELETE', path } };
  const get = (kind: string, accept: string): Step => ({ name: `GET ${kind}`, asked: { method: 'GET', path, accept } });
  const reads = [
    get('JSON', 'application/json'),
    get('YAML', 'application/yaml'),
    get('pretty', 'application/json;pretty=1'),
    get('Table', `application/json;as=Table;${meta}`),
    get('metadata', `application/json;as=PartialObjectMetadata;${meta}`),
  ];
  yield { name: 'POST dry run', asked: { ...create, path: `${collection}?dryRun=All`, body: text } };
  yield { name: 'POST', asked: { ...create, body: text } };
  yield* reads;
  if (shape.native) yield get('protobuf', protobuf);
  yield { name: 'LIST Table', asked: { method: 'GET', path: collection, accept: `application/json;as=Table;${meta}` } };
  yield { name: 'PUT', asked: { method: 'PUT', path, body: text } };
  if (shape.small) {
    const annotate = { metadata: { annotations: { a: 'b' } } };
    yield { name: 'merge patch, small', asked: patch('merge-patch+json', shape.small) };
    yield {
      name: 'json patch, small',
      asked: patch('json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
    };
    if (shape.native) yield { name: 'strategic patch, small', asked: patch('strategic-merge-patch+json', annotate) };
    const { apiVersion, kind } = large;
    yield {
      name: 'apply, small',
      asked: patch(
        'apply-patch+yaml',
        { apiVersion, kind, metadata: { name, labels: { a: 'c' } } },
        '?fieldManager=s&force=true',
      ),
    };
  }
  yield { name: 'merge patch, large', asked: patch('merge-patch+json', change) };
  if (shape.native) yield { name: 'strategic patch, large', asked: patch('strategic-merge-patch+json', change) };
  yield { name: 'apply, large', asked: patch('apply-patch+yaml', text, '?fieldManager=m&force=true') };
  yield { name: 'apply, again', asked: patch('apply-patch+yaml', text, '?fieldManager=n&force=true') };
  yield { name: 'apply, conflict', asked: patch('apply-patch+yaml', small, '?fieldManager=o') };
  yield { name: 'apply, less', asked: patch('apply-patch+yaml', small, '?fieldManager=m&force=true') };
  yield { name: 'PUT less', asked: { method: 'PUT', path, body: small } };
  yield remove;
  yield { name: 'apply, new', asked: patch('apply-patch+yaml', text, '?fieldManager=m') };
  yield remove;
  if (shape.native) {
    yield {
      name: 'POST protobuf',
      asked: { ...create, type: protobuf, accept: protobuf, body: encodeProtobuf({ ...large }) },
    };
    yield {
      name: 'PUT protobuf',
      asked: { method: 'PUT', path, type: protobuf, accept: protobuf, body: encodeProtobuf({ ...large }) },
    };
    yield remove;
  }
  yield { name: 'POST small', asked: { ...create, body: small } };
  yield { name: 'PUT more', asked: { method: 'PUT', path, body: text } };
  yield remove;
}
