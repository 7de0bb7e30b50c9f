import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { timerMs } from '../../lib/timer.js';
import type { DeleteOptions, Patch, WriteOptions } from '../../client/interface.js';
import type { Endpoint, RawRequest, RawResponse, RemoteClient } from '../interface.js';
import { BadAnswer } from './bad-answer.js';
import { connect, type ConnectionOptions } from './connection.js';
import { createMapper } from './discovery.js';
import { receivedFailure } from './failure.js';
import { largestList } from './limits.js';
import { Mirroring } from './mirroring.js';
import { listParameters, pathOf, queryOf } from './paths.js';
import { readBounded, type Refuse } from './read-json.js';
import { receivedObject } from './received-object.js';

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Attempts of a request that an overloaded server answers with 429 and Retry-After. */
const maxAttempts = 5;
/** Maximum seconds of a Retry-After that is respected. */
const maxWaitSeconds = 30;

/**
 * Returns a client of another API server over HTTP. An error answer that is no Status becomes one with its code and text. Calls reject with
 * BadAnswer when the server sends more than `limits.ts` allows, or an answer of the wrong form.
 */
export function remote(endpoint: Endpoint, options: ConnectionOptions): RemoteClient {
  const connection = connect(endpoint, options);
  const mirroring = new Mirroring(endpoint.server, connection);

  const refuseFor =
    ({ method, path }: RawRequest): Refuse =>
    fault => {
      throw new BadAnswer(`${method} ${endpoint.server}${path.split('?')[0]}`, fault);
    };

  async function send(request: RawRequest): Promise<Buffer> {
    for (let attempt = 1; ; attempt++) {
      const response = await connection.request(request);
      const { status, body } = response;
      if (status < 300) return body;
      const wait = retryAfter(response);
      if (status !== 429 || wait === undefined || attempt === maxAttempts) throw receivedFailure(status, body);
      await new Promise(resolve => setTimeout(resolve, timerMs(wait * 1000)));
    }
  }

  async function object(request: RawRequest): Promise<KubeObject> {
    const refuse = refuseFor(request);
    return receivedObject(readBounded(await send(request), refuse), refuse);
  }

  async function document(path: string): Promise<unknown> {
    const request = { method: 'GET', path };
    return readBounded(await send(request), refuseFor(request));
  }

  const requestWith = (method: string, path: string, value: unknown, type = 'application/json'): RawRequest => ({
    ...{ method, path, headers: { 'content-type': type }, body: Buffer.from(jsonText(value)) },
  });

  const writeQuery = (
    { fieldManager, dryRun }: WriteOptions,
    further: Record<string, boolean | undefined> = {},
  ): string => queryOf({ fieldManager, dryRun: dryRun ? 'All' : undefined, ...further });

  return {
    async get(resource, key, { resourceVersion, subresource } = {}) {
      const path = pathOf(resource, key, subresource) + queryOf({ resourceVersion });
      return object({ method: 'GET', path });
    },
    async list(resource, query = {}) {
      const { list, items } = await mirroring.page(resource, query, largestList);
      return { ...list, items: items.map(({ object }) => object) };
    },
    each: (resource, query) => mirroring.each(resource, query),
    events: (resource, query, signal) => mirroring.events(resource, query, signal),
    watch: (resource, query, signal) => mirroring.events(resource, query, signal),
    cached: mirroring.cached,
    async create(resource, draft, { name, ...write } = {}) {
      const { namespace } = draft.metadata;
      const key = { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
      return await object(requestWith('POST', pathOf(resource, key, write.subresource) + writeQuery(write), draft));
    },
    async update(resource, draft, write = {}) {
      return object(requestWith('PUT', objectPath(resource, draft, write) + writeQuery(write), draft));
    },
    async patch(resource, key, patch, write = {}) {
      const force = patch.type === 'apply' ? patch.force : undefined;
      const path = pathOf(resource, key, write.subresource) + writeQuery(write, { force });
      return object(requestWith('PATCH', path, patch.patch, patchTypes[patch.type]));
    },
    async delete(resource, key, deletion = {}) {
      await send(requestWith('DELETE', pathOf(resource, key), deleteBody(deletion)));
    },
    async deleteCollection(resource, query = {}, deletion = {}) {
      const key = query.namespace ? { namespace: query.namespace } : {};
      const request = requestWith(
        'DELETE',
        pathOf(resource, key) + queryOf(listParameters(query)),
        deleteBody(deletion),
      );
      await send({ ...request, maxBytes: largestList }); // The answer contains the deleted objects.
    },
    mapper: createMapper((path, accept) => (accept ? mirroring.groups(path, accept) : document(path)), Date.now),
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

function retryAfter({ headers }: RawResponse): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && headers['retry-after'] !== undefined
    ? Math.min(seconds, maxWaitSeconds)
    : undefined;
}
