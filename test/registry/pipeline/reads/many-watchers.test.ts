import t from 'tap';
import type { WatchEvent } from '../../../../client/interface.js';
import { configMap, configmaps, serve } from '../../serve.js';

const count = 10_000;

t.test(`${count} watchers of one object each: a change is an event for one of them`, async t => {
  const { client } = await serve(t);
  const { metadata } = await client.create(configmaps, configMap('o-0'));
  const stops = Array.from({ length: count }, () => new AbortController());
  const events: [watcher: number, event: WatchEvent][] = [];
  const follow = async ({ signal }: AbortController, index: number): Promise<void> => {
    // Half of them watch as kubelets do, half as client-go's informers of one object.
    const query = {
      fieldSelector: `metadata.name=o-${index}${index % 2 === 0 ? '' : ',metadata.namespace=default'}`,
      resourceVersion: metadata.resourceVersion ?? '',
      allowWatchBookmarks: true,
    };
    const place = index % 2 === 0 ? { ...configmaps, namespace: 'default' } : configmaps;
    for await (const event of client.watch(place, query, signal)) events.push([index, event]);
  };
  const watching = stops.map(follow);
  for (const index of [1, 4711, 9998]) await client.create(configmaps, configMap(`o-${index}`));
  await client.delete(configmaps, { namespace: 'default', name: 'o-4711' });
  await client.create(configmaps, configMap('unwatched'));
  const last = client.watch(configmaps, { fieldSelector: 'metadata.name=unwatched' }, new AbortController().signal);
  for await (const event of last) if (event.object.metadata.name === 'unwatched') break; // after all others
  t.same(
    events.map(([index, { type, object }]) => `${index} ${type} ${object.metadata.name}`),
    ['1 ADDED o-1', '4711 ADDED o-4711', '9998 ADDED o-9998', '4711 DELETED o-4711'],
  );
  for (const stop of stops) stop.abort();
  await Promise.all(watching);
});
