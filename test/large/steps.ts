/** A sequence of requests with one large object. */
import { encodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { MeasuredRequest } from './server.js';
import type { Shape } from './shapes/shape.js';

interface Step {
  readonly name: string;
  readonly request: MeasuredRequest;
}

const protobuf = 'application/vnd.kubernetes.protobuf';
const meta = 'g=meta.k8s.io;v=v1';

/** Yields the requests. `large`: the object that is sent. */
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
  const patch = (type: string, body: unknown, query = ''): MeasuredRequest => ({
    method: 'PATCH',
    path: `${path}${query}`,
    type: `application/${type}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const remove: Step = { name: 'DELETE', request: { method: 'DELETE', path } };
  const get = (kind: string, accept: string): Step => ({
    name: `GET ${kind}`,
    request: { method: 'GET', path, accept },
  });
  const reads = [
    get('JSON', 'application/json'),
    get('YAML', 'application/yaml'),
    get('pretty', 'application/json;pretty=1'),
    get('Table', `application/json;as=Table;${meta}`),
    get('metadata', `application/json;as=PartialObjectMetadata;${meta}`),
  ];
  yield { name: 'POST dry run', request: { ...create, path: `${collection}?dryRun=All`, body: text } };
  yield { name: 'POST', request: { ...create, body: text } };
  yield* reads;
  if (shape.native) yield get('protobuf', protobuf);
  yield {
    name: 'LIST Table',
    request: { method: 'GET', path: collection, accept: `application/json;as=Table;${meta}` },
  };
  yield { name: 'PUT', request: { method: 'PUT', path, body: text } };
  if (shape.small) {
    const annotate = { metadata: { annotations: { a: 'b' } } };
    yield { name: 'merge patch, small', request: patch('merge-patch+json', shape.small) };
    yield {
      name: 'json patch, small',
      request: patch('json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]),
    };
    if (shape.native) yield { name: 'strategic patch, small', request: patch('strategic-merge-patch+json', annotate) };
    const { apiVersion, kind } = large;
    yield {
      name: 'apply, small',
      request: patch(
        'apply-patch+yaml',
        { apiVersion, kind, metadata: { name, labels: { a: 'c' } } },
        '?fieldManager=s&force=true',
      ),
    };
  }
  yield { name: 'merge patch, large', request: patch('merge-patch+json', change) };
  if (shape.native) yield { name: 'strategic patch, large', request: patch('strategic-merge-patch+json', change) };
  yield { name: 'apply, large', request: patch('apply-patch+yaml', text, '?fieldManager=m&force=true') };
  yield { name: 'apply, again', request: patch('apply-patch+yaml', text, '?fieldManager=n&force=true') };
  yield { name: 'apply, conflict', request: patch('apply-patch+yaml', small, '?fieldManager=o') };
  yield { name: 'apply, less', request: patch('apply-patch+yaml', small, '?fieldManager=m&force=true') };
  yield { name: 'PUT less', request: { method: 'PUT', path, body: small } };
  yield remove;
  yield { name: 'apply, new', request: patch('apply-patch+yaml', text, '?fieldManager=m') };
  yield remove;
  if (shape.native) {
    yield {
      name: 'POST protobuf',
      request: { ...create, type: protobuf, accept: protobuf, body: encodeProtobuf({ ...large }) },
    };
    yield {
      name: 'PUT protobuf',
      request: { method: 'PUT', path, type: protobuf, accept: protobuf, body: encodeProtobuf({ ...large }) },
    };
    yield remove;
  }
  yield { name: 'POST small', request: { ...create, body: small } };
  yield { name: 'PUT more', request: { method: 'PUT', path, body: text } };
  yield remove;
}
