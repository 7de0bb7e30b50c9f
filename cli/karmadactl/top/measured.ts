/** Reads the metrics of Pods and nodes of the members, through the cluster proxy. as pkg/karmadactl/top */
import type { Endpoint, RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { resourceMetrics, type Usage } from '../../../api/kubernetes/metrics.js';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { addAmounts, type Amounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import type { Quantity } from '../../../apimachinery/quantity/quantity.js';
import { eachConcurrently } from '../../../lib/each-concurrently.js';
import { userAgent } from '../connect.js';

/** What a user asks for. */
interface MetricsQuery {
  /** '' for all objects. */
  readonly name: string;
  /** '' for all namespaces, and for nodes. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** The usage of a container, of a Pod or of a node. */
export interface Measured {
  readonly cluster: string;
  readonly namespace: string;
  /** The Pod or the node. */
  readonly name: string;
  /** The containers of a Pod, in its order. */
  readonly containers: readonly { readonly name: string; readonly usage: Amounts }[];
  readonly usage: Amounts;
}

/** What was read of the clusters. */
export interface Measurements<T> {
  readonly found: readonly T[];
  /** One text for each cluster that failed. */
  readonly failures: readonly string[];
}

/** Clusters that are asked at the same time. */
const width = 8;

/** Calls the function for each cluster, and collects what it returns and why it failed. */
export async function inClusters<T>(
  control: Endpoint,
  clusters: readonly string[],
  read: (client: RemoteClient, cluster: string) => Promise<readonly T[]>,
): Promise<Measurements<T>> {
  const found: T[] = [];
  const failures: string[] = [];
  await eachConcurrently(clusters, width, async cluster => {
    const server = `${control.server}/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy`;
    const client = remote({ ...control, server }, { userAgent });
    try {
      found.push(...(await read(client, cluster)));
    } catch (error) {
      failures.push(`cluster(${cluster}): ${errorText(error)}`);
    } finally {
      await client.close();
    }
  });
  return { found, failures: failures.sort() };
}

/** Returns the object of a name, or all that the selectors select. */
async function objectsOf(
  client: RemoteClient,
  resource: Parameters<RemoteClient['get']>[0],
  { name, namespace, labelSelector, fieldSelector }: MetricsQuery,
): Promise<readonly KubeObject[]> {
  const scope = namespace === '' ? {} : { namespace };
  if (name !== '') return [await client.get(resource, { ...scope, name })];
  const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  return (await client.list(resource, { ...scope, ...selectors })).items;
}

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const metrics = (resource: string) => ({ ...resourceMetrics, resource });

interface PodMetrics extends KubeObject {
  readonly containers?: readonly { readonly name?: string; readonly usage?: Usage }[];
}

const measuredPod = (cluster: string, { metadata, containers = [] }: PodMetrics): Measured => {
  const usage = new Map<string, Quantity>();
  const each = containers.map(({ name = '', usage: used }) => ({ name, usage: amountsOf(used) }));
  for (const container of each) addAmounts(usage, container.usage);
  return { cluster, namespace: metadata.namespace ?? '', name: metadata.name ?? '', containers: each, usage };
};

/** How long metrics of a new Pod may take, in milliseconds. as top_pods.go metricsCreationDelay */
const creationDelayMs = 120_000;

/** Returns the usage of the Pods of a cluster. Throws if there are Pods, but no metrics yet. */
export async function podsOf(client: RemoteClient, cluster: string, query: MetricsQuery): Promise<readonly Measured[]> {
  const found = await objectsOf(client, metrics('pods'), query);
  if (found.length > 0) return found.map(each => measuredPod(cluster, each));
  const pods = await objectsOf(client, core('pods'), query);
  if (pods.length === 0) return [];
  const ageOf = ({ metadata }: KubeObject): number => Date.now() - Date.parse(metadata.creationTimestamp ?? '');
  const old = pods.find(pod => ageOf(pod) > creationDelayMs);
  if (!old) throw new Error('metrics not available yet');
  const { namespace = '', name = '' } = old.metadata;
  throw new Error(`Metrics not available for pod ${namespace}/${name}, age: ${Math.floor(ageOf(old) / 1000)}s`);
}

/** A node; without usage if there are no metrics of it. */
export interface MeasuredNode {
  readonly cluster: string;
  readonly name: string;
  readonly usage: Amounts | undefined;
  /** What the node has, or offers to Pods. */
  readonly available: Amounts;
}

interface Node extends KubeObject {
  readonly status?: { readonly allocatable?: Usage; readonly capacity?: Usage };
}

/** Returns the usage of the nodes of a cluster. `of`: what it is compared with. */
export async function nodesOf(
  client: RemoteClient,
  { cluster, of, query }: { cluster: string; of: 'allocatable' | 'capacity'; query: MetricsQuery },
): Promise<readonly MeasuredNode[]> {
  const used = await objectsOf(client, metrics('nodes'), query);
  if (used.length === 0) throw new Error('metrics not available yet');
  const nodes = (await objectsOf(client, core('nodes'), query)) as readonly Node[];
  const available = new Map(nodes.map(({ metadata, status }) => [metadata.name ?? '', amountsOf(status?.[of])]));
  const found: MeasuredNode[] = [];
  for (const { metadata, usage } of used as readonly (KubeObject & { readonly usage?: Usage })[]) {
    const { name = '' } = metadata;
    found.push({ cluster, name, usage: amountsOf(usage), available: available.get(name) ?? new Map() });
    available.delete(name);
  }
  for (const [name, amounts] of available) found.push({ cluster, name, usage: undefined, available: amounts });
  return found;
}
