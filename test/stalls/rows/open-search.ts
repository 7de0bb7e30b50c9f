/** An OpenSearch whose answers are hostile, as the backend store of a ResourceRegistry. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { until } from '../../storage/until.js';
import type { Fixture, Row } from '../row.js';
import { isWatch, json, memberFlags, withMember } from './members.js';
import { object, post, range, remove, secrets } from './objects.js';
import { isConfigMaps, item, list, ready, resourceList, searchGroup } from './search.js';

/** A member with one ConfigMap. */
function answerAsMember(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.url === '/api/v1') json(response, resourceList);
  else if (isConfigMaps(request) && !isWatch(request)) json(response, list([item(0)]));
  else return false;
  return true;
}

/** Sends the ConfigMap of a member to an OpenSearch, which answers with this body, a few times. */
const bulk = (name: string, size: number, bodyOf: (size: number) => string): Row => ({
  name: `open-search/bulk-${name}`,
  size,
  flags: memberFlags,
  async play(fixture) {
    const store = await fixture.backend();
    const body = bodyOf(fixture.size);
    let asked = 0;
    store.onRequest = (request, response) => {
      response.on('error', () => undefined);
      const isBulk = request.url === '/_bulk';
      if (isBulk) asked++;
      request.resume();
      request.once('end', () => json(response, isBulk ? body : {}));
    };
    await withMember(fixture, answerAsMember, async ({ name: own }) => {
      await ready(fixture, own);
      await withRegistry(fixture, own, store, () =>
        // It sends no request before it has read the last answer.
        until('the OpenSearch is asked again', () => asked > (fixture.warmUp ? 1 : 2)),
      );
    });
    await store.stop();
  },
});

/** Creates a ResourceRegistry that sends the ConfigMaps of a member to an OpenSearch, calls `use`, and deletes it. */
async function withRegistry(
  fixture: Fixture,
  name: string,
  { url, authority }: { readonly url: string; readonly authority: string },
  use: () => Promise<void>,
): Promise<void> {
  await fixture.must(post(secrets, object('v1', 'Secret', name, { data: { caBundle: toBase64(authority) } })));
  const openSearch = { addresses: [url], secretRef: { namespace: 'default', name } };
  const spec = {
    targetCluster: { clusterNames: [name] },
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    backendStore: { openSearch },
  };
  const registries = `${searchGroup}/resourceregistries`;
  await fixture.must(post(registries, object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, { spec })));
  await use();
  await fixture.must(remove(`${registries}/${name}`));
  await fixture.must(remove(`${secrets}/${name}`));
}

const failureBecause = (reason: string): object => ({
  index: { status: 503, error: { type: 'unavailable_shards_exception', reason } },
});
const failure = failureBecause('r');

export const openSearchRows: readonly Row[] = [
  bulk('flat', 40_000_000, size => `[1${',1'.repeat(size / 2)}]`),
  bulk('items', 16_000, size => JSON.stringify({ items: range(size, () => failure) })),
  bulk('reason', 7_000_000, size => JSON.stringify({ items: [failureBecause('x'.repeat(size))] })),
  bulk('digits', 7_000_000, size => `{"items":[${'1'.repeat(size)}]}`),
];
