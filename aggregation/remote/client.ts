import type { GroupVersionResource, KubeList, KubeObject, Status } from '../../openapi/interface.js';
import { jsonText } from '../../openapi/meta/json.js';
import { plainError, StatusError } from '../../openapi/meta/status.js';
import { timerMs } from '../../openapi/meta/timer.js';
import { readJson } from '../../openapi/schema/read-json.js';
import type { DeleteOptions, Patch, WatchEvent, WriteOptions } from '../../registry/interface.js';
import type { Endpoint, RawRequest, RawResponse, RemoteClient } from '../interface.js';
import { connect, type ConnectionOptions } from './connection.js';
import { createMapper } from './discovery.js';
import { lines } from './lines.js';
import { listParameters, pathOf, queryOf, watchParameters } from './paths.js';

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** A server that is overloaded says how long to stay away; after this many times it is an error. */
const patience = 5;

/** The API of another server over HTTP. Answers that are no Status become one with the code and the text. */
export function remote(endpoint: Endpoint, options: ConnectionOptions): RemoteClient {
  const connection = connect(endpoint, options);

  async function call(request: RawRequest): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const response = await connection.request(request);
      const { status, body } = response;
      if (status < 400) return body.length > 0 ? readJson(body.toString('utf8')) : undefined;
      const wait = retryAfter(response);
      if (status !== 429 || wait === undefined || attempt === patience) throw failure(status, body);
      await new Promise(resolve => setTimeout(resolve, timerMs(wait * 1000)));
    }
  }

  const send = (method: string, path: string, value: unknown, type = 'application/json'): Promise<unknown> =>
    call({ method, path, headers: { 'content-type': type }, body: Buffer.from(jsonText(value)) });

  const writeQuery = ({ fieldManager, dryRun }: WriteOptions, more: Record<string, boolean | undefined> = {}): string =>
    queryOf({ fieldManager, dryRun: dryRun ? 'All' : undefined, ...more });

  return {
    async get(resource, key, { resourceVersion, subresource } = {}) {
      const path = pathOf(resource, key, subresource) + queryOf({ resourceVersion });
      return (await call({ method: 'GET', path })) as KubeObject;
    },
    async list(resource, query = {}) {
      const place = query.namespace ? { namespace: query.namespace } : {};
      const path = pathOf(resource, place) + queryOf(listParameters(query));
      return withTypes((await call({ method: 'GET', path })) as KubeList);
    },
    async *watch(resource, query, signal) {
      const place = query.namespace ? { namespace: query.namespace } : {};
      const path = pathOf(resource, place) + queryOf(watchParameters(query));
      try {
        const { status, body } = await connection.stream({ method: 'GET', path, signal });
        if (status >= 400) throw failure(status, await whole(body));
        for await (const line of lines(body)) {
          const event = readJson(line.toString('utf8')) as WatchEvent | { type: 'ERROR'; object: Status };
          if (event.type === 'ERROR') throw new StatusError(event.object);
          yield event;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    async create(resource, object, { name, ...write } = {}) {
      const { namespace } = object.metadata;
      const place = { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
      return (await send('POST', pathOf(resource, place, write.subresource) + writeQuery(write), object)) as KubeObject;
    },
    async update(resource, object, write = {}) {
      return (await send('PUT', objectPath(resource, object, write) + writeQuery(write), object)) as KubeObject;
    },
    async patch(resource, key, patch, write = {}) {
      const force = patch.type === 'apply' ? patch.force : undefined;
      const path = pathOf(resource, key, write.subresource) + writeQuery(write, { force });
      return (await send('PATCH', path, patch.patch, patchTypes[patch.type])) as KubeObject;
    },
    async delete(resource, key, deletion = {}) {
      await send('DELETE', pathOf(resource, key), deleteBody(deletion));
    },
    async deleteCollection(resource, query = {}, deletion = {}) {
      const place = query.namespace ? { namespace: query.namespace } : {};
      await send('DELETE', pathOf(resource, place) + queryOf(listParameters(query)), deleteBody(deletion));
    },
    mapper: createMapper(
      (path, accept) => call({ method: 'GET', path, ...(accept ? { headers: { accept } } : {}) }),
      Date.now,
    ),
    raw: request => connection.request(request),
    close: () => connection.close(),
  };
}

function objectPath(resource: GroupVersionResource, { metadata }: KubeObject, { subresource }: WriteOptions): string {
  const { namespace, name = '' } = metadata;
  return pathOf(resource, { ...(namespace ? { namespace } : {}), name }, subresource);
}

function deleteBody({ dryRun, ...options }: DeleteOptions): unknown {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
}

/** Items of native lists come without their type; here every object carries it. */
function withTypes(list: KubeList): KubeList {
  const kind = list.kind.replace(/List$/, '');
  for (const item of list.items) {
    item.kind ??= kind;
    item.apiVersion ??= list.apiVersion;
  }
  return list;
}

function failure(code: number, body: Buffer): StatusError {
  const text = body.toString('utf8');
  try {
    const status = JSON.parse(text) as Status;
    if (status.kind === 'Status') return new StatusError(status);
  } catch {
    // Not JSON: proxies and routers answer in plain text, which is the message then.
  }
  return plainError(text.trim() || `the server answered with status ${code}`, code);
}

function retryAfter({ headers }: RawResponse): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && headers['retry-after'] !== undefined ? seconds : undefined;
}

async function whole(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
