/** Objects of members as they are kept: the text that answers are made of, and little more. */
import type { KubeList, KubeObject } from '../../openapi/interface.js';
import type { Client, ListQuery, WatchEvent } from '../../registry/interface.js';
import { annotations } from '../../registry/kinds/karmada/well-known.js';

export interface Cached extends KubeObject {
  /** The whole object as JSON, marked with its cluster. */
  readonly json: Buffer;
  /** Where the text of its resourceVersion begins in `json`. */
  readonly versionAt: number;
}

/** hot: once for every object and change of it. */
export function cache(object: KubeObject, cluster: string): Cached {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { resourceVersion = '', ...meta } = metadata;
  const marked = { ...meta, annotations: { ...meta.annotations, [annotations.cachedFromCluster]: cluster } };
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{"resourceVersion":"`;
  const tail = JSON.stringify(rest);
  const body = `",${JSON.stringify(marked).slice(1)}${tail === '{}' ? '}' : `,${tail.slice(1)}`}`;
  const { name = '', namespace, labels } = meta;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}), resourceVersion },
    json: Buffer.from(head + resourceVersion + body),
    versionAt: Buffer.byteLength(head),
  };
}

/** What is fetched at a time: a first list of many objects need not be in memory at once. */
const pageSize = 500;

/** A client that hands out objects as they are cached. Only `list` and `watch` do; informers need no more. */
export function cachingClient(client: Client, cluster: string): Client {
  async function list(...[resource, query]: Parameters<Client['list']>): Promise<KubeList> {
    const items: Cached[] = [];
    let page: ListQuery = { ...query, limit: pageSize };
    for (;;) {
      const found = await client.list(resource, page);
      for (const item of found.items) items.push(cache(item, cluster));
      const next = found.metadata.continue;
      if (!next) return { ...found, items };
      page = { ...query, limit: pageSize, continue: next };
    }
  }

  async function* watch(...args: Parameters<Client['watch']>): AsyncGenerator<WatchEvent> {
    for await (const event of client.watch(...args))
      yield event.type === 'BOOKMARK' ? event : { type: event.type, object: cache(event.object, cluster) };
  }

  return { ...client, list, watch };
}
