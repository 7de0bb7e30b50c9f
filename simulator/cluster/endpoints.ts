import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { EndpointSlice } from '../../openapi/gen/discovery-v1.js';
import type { Endpoints, Service, ServicePort } from '../../openapi/gen/core-v1.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { keyOf } from '../../client/key.js';
import type { Client } from '../../client/interface.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { createOrUpdate } from '../../client/runtime/update.js';
import { isFinished, isTerminating, isReady, type Pod } from '../pods/state.js';
import { endpoints, endpointSlices, pods, services } from '../../api/kubernetes/resources.js';
import {
  endpointSliceManagedByLabel,
  endpointsManagedByLabel,
  serviceNameLabel,
} from '../../api/kubernetes/well-known.js';

/** Endpoints of one slice. As the default of --max-endpoints-per-slice. */
const limit = 100;

/** Reports whether the Service selects the Pod. */
const selects = ({ metadata, spec }: Service, pod: Pod): boolean => {
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0 || metadata.namespace !== pod.metadata.namespace) return false;
  return selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
};

/** Publishes the addresses of the Pods behind every Service: Endpoints, and EndpointSlices of a hundred each. */
class EndpointsController {
  readonly #client: Client;
  readonly #services: Informer<Service>;
  readonly #pods: Informer<Pod>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #lists: Informer<Endpoints>;

  constructor({ client, informers }: ControllerContext) {
    this.#client = client;
    this.#services = informers.informer<Service>(services);
    this.#pods = informers.informer<Pod>(pods);
    this.#slices = informers.informer<EndpointSlice>(endpointSlices, {
      indexers: {
        service: ({ metadata: { namespace, labels } }) => [namespacedName(namespace, labels?.[serviceNameLabel] ?? '')],
      },
    });
    this.#lists = informers.informer<Endpoints>(endpoints);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#services.synced, this.#pods.synced, this.#slices.synced, this.#lists.synced];
  }

  wire(queue: WorkQueue): void {
    this.#services.onChange(({ new: service }) => service && queue.add(keyOf(service)));
    this.#pods.onChange(({ old, new: pod }) => {
      const namespace = (pod ?? old)?.metadata.namespace;
      for (const service of this.#services.list(namespace))
        if ((old && selects(service, old)) || (pod && selects(service, pod))) queue.add(keyOf(service));
    });
  }

  async reconcile(key: Key): Promise<void> {
    const service = this.#services.get(key);
    if (!service?.spec?.selector || service.metadata.deletionTimestamp) return;
    const backends = this.#pods
      .list(service.metadata.namespace ?? '')
      .filter(pod => selects(service, pod) && pod.status?.podIP && !isFinished(pod))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await this.#publishSlices(key, service, backends);
    const list = endpointsOf(service, backends);
    await createOrUpdate(this.#client, endpoints, this.#lists.get(key), list, draft => {
      if (list.subsets) draft.subsets = list.subsets;
      else delete draft.subsets;
    });
  }

  /** Writes the slices of a Service, and deletes those of Pods that are gone. */
  async #publishSlices(key: Key, service: Service, backends: readonly Pod[]): Promise<void> {
    const { namespace = '', name = '' } = service.metadata;
    const wanted = Array.from({ length: Math.max(1, Math.ceil(backends.length / limit)) }, (_, i) =>
      sliceOf(service, i, backends.slice(i * limit, (i + 1) * limit)),
    );
    for (const slice of wanted)
      await createOrUpdate(this.#client, endpointSlices, this.#slices.get(keyOf(slice)), slice, draft => {
        draft.endpoints = slice.endpoints ?? [];
        draft.ports = slice.ports ?? [];
      });
    const names = new Set(wanted.map(({ metadata }) => metadata.name));
    for (const { metadata } of this.#slices.byIndex('service', key))
      if (metadata.name?.startsWith(`${name}-`) && !names.has(metadata.name))
        await this.#client.delete(endpointSlices, { namespace, name: metadata.name });
  }
}

/** Starts the controller that writes the EndpointSlices of Services. as pkg/controller/endpointslice */
export function startEndpoints(context: ControllerContext): void {
  const controller = new EndpointsController(context);
  context.run({
    name: 'endpointslice-controller',
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}

/** Returns the port of a Pod that a port of the Service refers to. */
function targetPort({ port, targetPort = port }: ServicePort, pod: Pod | undefined): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  for (const container of pod?.spec?.containers ?? [])
    for (const { name, containerPort } of container.ports ?? []) if (name === targetPort) return containerPort;
  return undefined;
}

const portsOf = ({ spec }: Service, pod: Pod | undefined): { name: string; port: number; protocol: string }[] =>
  (spec?.ports ?? []).flatMap(declared => {
    const port = targetPort(declared, pod);
    return port === undefined ? [] : [{ name: declared.name ?? '', port, protocol: declared.protocol ?? 'TCP' }];
  });

function sliceOf(service: Service, index: number, backends: readonly Pod[]): EndpointSlice {
  const { namespace, name = '', labels } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${index}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...labels,
        [serviceNameLabel]: name,
        [endpointSliceManagedByLabel]: 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints: backends.map(pod => ({
      addresses: [pod.status?.podIP ?? ''],
      conditions: {
        ready: isReady(pod) && !isTerminating(pod),
        serving: isReady(pod),
        terminating: isTerminating(pod),
      },
      ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
      targetRef: referenceTo(pod),
    })),
    ports: portsOf(service, backends[0]),
  };
}

const referenceTo = ({ metadata: { namespace = '', name = '', uid = '' } }: Pod): Record<string, string> => ({
  kind: 'Pod',
  ...{ namespace, name, uid },
});

function endpointsOf(service: Service, backends: readonly Pod[]): Endpoints {
  const { namespace, name = '', labels } = service.metadata;
  const address = (pod: Pod): { ip: string; nodeName?: string; targetRef: Record<string, string> } => ({
    ip: pod.status?.podIP ?? '',
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: referenceTo(pod),
  });
  const addresses = backends.filter(pod => isReady(pod) && !isTerminating(pod)).map(address);
  const notReadyAddresses = backends.filter(pod => !isReady(pod) && !isTerminating(pod)).map(address);
  const subset = {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports: portsOf(service, backends[0]),
  };
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels, [endpointsManagedByLabel]: 'endpoint-controller' },
    },
    ...(addresses.length + notReadyAddresses.length > 0 ? { subsets: [subset] } : {}),
  };
}
