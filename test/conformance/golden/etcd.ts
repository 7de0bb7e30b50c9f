/** Serves the etcd content of a karmada-apiserver, and compares the lists to those of the original API. */
import type { Test } from 'tap';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import type { Revision } from '../../../storage/interface.js';
import { startFlagship } from '../../../tools/flagship.js';
import { recorded } from '../../data.js';
import { openTestEtcd, startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { apiClient } from '../call.js';
import { differences } from '../differences.js';
import type { Result } from '../replay.js';

interface List {
  readonly items: readonly { readonly metadata: Readonly<Record<string, string>> }[];
}

interface Recording {
  readonly entries: readonly { readonly key: string; readonly value: string; readonly revision: Revision }[];
  readonly served: Readonly<Record<string, List>>;
}

const recording = (): Recording => recorded('golden/etcd.json') as Recording;

/** Returns the value without revisions, which are those of the new store. */
const withoutRevisions = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) => (key === 'resourceVersion' ? '' : member));

const nameOf = ({ metadata }: List['items'][number]): string => `${metadata['namespace']}/${metadata['name']}`;

/** Returns the differences of two lists. Objects that the server writes at start (roles, definitions, its Service) are not compared. */
function compared(want: List, got: List, loaded: Revision): string[] {
  const written = ({ metadata }: List['items'][number]): boolean => Number(metadata['resourceVersion']) > loaded;
  const own = new Set(got.items.filter(written).map(nameOf));
  const rest = (list: List): unknown => ({ ...list, items: list.items.filter(item => !own.has(nameOf(item))) });
  return differences(withoutRevisions(rest(want)), withoutRevisions(rest(got)));
}

interface Ends {
  teardown(end: () => unknown): void;
}

async function serve(ends: Ends): Promise<readonly Result[]> {
  const { entries, served } = recording();
  const etcd = await startEtcd(ends as unknown as Test);
  const store = await openTestEtcd(etcd);
  for (const { key, value } of [...entries].sort((a, b) => a.revision - b.revision))
    await store.put(key, 'absent', Buffer.from(value, 'base64'));
  const loaded = await store.revision();
  await store.close();
  const flagship = await startFlagship(['--controllers=-*', '--storage', `etcd=${etcd.endpoint}`]);
  ends.teardown(() => flagship.stop());
  const server = apiClient(kubeconfigEndpoint(flagship.kubeconfig), 'corpus/1.0');
  ends.teardown(() => server.close());
  const results: Result[] = [];
  for (const [name, want] of Object.entries(served)) {
    const { text } = await server.call('GET', name, { headers: { accept: 'application/json' } });
    const got = JSON.parse(text) as List;
    const problems = got.items ? compared(want, got, loaded) : [`no list: ${text.slice(0, 200)}`];
    results.push({ name, problems });
  }
  return results;
}

/** Returns one result per list, or undefined if etcd is not installed. */
export async function etcdServed(): Promise<readonly Result[] | undefined> {
  if (withoutEtcd !== false) return undefined;
  const ends: (() => unknown)[] = [];
  try {
    return await serve({ teardown: end => void ends.push(end) });
  } catch (error) {
    // The server did not start.
    return Object.keys(recording().served).map(name => ({ name, problems: [String(error)] }));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

export const etcdLists = (): number => Object.keys(recording().served).length;
