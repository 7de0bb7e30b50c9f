/** What selections visit of a mirror of many objects, and the order of what they find. */
import t from 'tap';
import { cache, type Cached } from '../../../aggregation/search/cached.js';
import { mirrorIndexers } from '../../../aggregation/search/mirror-indexers.js';
import { type MirrorSelection, selected } from '../../../aggregation/search/selection.js';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selectors.js';
import { parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { CachedEvent, CachedItem, ListerWatcher } from '../../../client/interface.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../lib/logging/interface.js';
import { until } from '../../storage/until.js';

const count = 3000;
/** Objects that are visited between two pauses. */
const stride = 32;
const resource = { group: '', version: 'v1', resource: 'configmaps' };

const configMap = (i: number): CachedItem => {
  const name = `c${String(i).padStart(5, '0')}`;
  const labels = { app: `a${i % 100}`, tier: i % 2 === 0 ? 'x' : 'y' };
  const metadata = { name, namespace: 'default', resourceVersion: `${i + 1}`, labels };
  const object = cache({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, 'member1');
  return { key: object.key, cached: { object, size: object.json.length, revision: `${i + 1}` } };
};

const added: CachedEvent[] = [];
let wake = (): void => undefined;

/** A member with ConfigMaps, whose watch has those that the test adds. */
const member: ListerWatcher = {
  list: () => Promise.reject(new Error('objects are read in their cached form')),
  watch: () => {
    throw new Error('objects are read in their cached form');
  },
  cached: {
    list: () =>
      Promise.resolve({ resourceVersion: '1', items: Array.from({ length: count }, (_, i) => configMap(i + 1)) }),
    async *watch(_resource, _query, signal) {
      while (signal?.aborted !== true) {
        yield* added.splice(0);
        await new Promise<void>(resolve => (wake = resolve));
      }
    },
    getCached: () => undefined,
    listCached: () => undefined,
    lacks: () => Promise.resolve(false),
  },
};

const stop = new AbortController();
t.teardown(() => {
  stop.abort();
  wake();
});
const informers = createInformerFactory({ client: member, clock: systemClock, log: silent, signal: stop.signal });
const informer = informers.informer<Cached>(resource, { indexers: mirrorIndexers() });
const mirror = { informer, indexedFields: new Set<string>(), namespaces: undefined };

/** Returns the names that a label selector finds, how many objects were compared with it, and how often the walk could pause. */
function find(text: string): { names: string[]; visits: number; firstVisits: number; pauses: number } {
  const labels = parseSelector(text);
  const found = { names: [] as string[], visits: 0, firstVisits: 0, pauses: 0 };
  const matches = ({ metadata }: Cached): boolean => {
    found.visits++;
    return labels.matches(metadata.labels);
  };
  const selection: MirrorSelection = { namespace: '', labels, fields: parseFieldSelector(''), matches };
  for (const object of selected(mirror, selection)) {
    if (found.pauses === 0) found.firstVisits = found.visits;
    if (object) found.names.push(object.metadata.name ?? '');
    else found.pauses++;
  }
  return found;
}

t.test('an index is used for few objects, and none for most of them', async t => {
  await informer.synced;
  t.match(find('app=a7'), { visits: count / 100, names: { length: count / 100 } });
  t.match(find('app in (a7,a8),tier=x'), { visits: count / 50, names: { length: count / 100 } });
  t.match(find('app=none'), { visits: 0, names: [] });
  for (const most of ['tier in (x,y)', 'app!=none', 'tier notin (x)']) {
    const { visits, firstVisits, pauses } = find(most);
    t.same([visits, firstVisits], [count, stride], `${most}: the walk may pause at once`);
    t.equal(pauses, Math.floor(count / stride), `${most}: what is in order is not sorted`);
  }
});

t.test('objects that came later are in their places', async t => {
  added.push({ type: 'ADDED', resourceVersion: '9000', ...configMap(0) });
  wake();
  await until('it is mirrored', () => informer.get(configMap(0).key) !== undefined);
  for (const selector of ['app in (a0,a1)', 'tier in (x,y)', 'app']) {
    const { names } = find(selector);
    t.equal(names[0], 'c00000', selector);
    t.same(names, [...names].sort(), selector);
  }
  t.ok(find('app').pauses > Math.floor(count / stride) + 1, 'they are sorted in steps');
});
