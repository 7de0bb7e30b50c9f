import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { isIP } from 'node:net';
import type { EndpointAddress, Endpoints, EndpointSubset, Service } from '../../openapi/gen/core-v1.js';
import type { Endpoint, EndpointSlice } from '../../openapi/gen/discovery-v1.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { createOrUpdate } from '../../client/runtime/update.js';
import { endpoints, endpointSlices, services } from '../../api/kubernetes/resources.js';
import {
  endpointSliceManagedByLabel,
  endpointsManagedByLabel,
  serviceNameLabel,
  skipMirrorLabel,
} from '../../api/kubernetes/well-known.js';

const manager = 'endpointslicemirroring-controller.k8s.io';

/** Labels of an Endpoints that are not copied. */
const ownLabels = new Set([
  endpointSliceManagedByLabel,
  serviceNameLabel,
  endpointsManagedByLabel,
  'service.kubernetes.io/headless',
]);

/** Mirrors manually managed Endpoints of Services without selector to EndpointSlices. */
// as pkg/controller/endpointslicemirroring; differs: one slice for each subset and kind of address, of whatever length
export function startEndpointMirror(context: ControllerContext): void {
  const { client, informers } = context;
  const endpointsMirror = informers.informer<Endpoints>(endpoints);
  const served = informers.informer<Service>(services);
  const slices = informers.informer<EndpointSlice>(endpointSlices, {
    indexers: {
      mirrored: ({ metadata: { namespace, labels } }) =>
        labels?.[endpointSliceManagedByLabel] === manager
          ? [namespacedName(namespace, labels[serviceNameLabel] ?? '')]
          : [],
    },
  });

  function wantedOf(key: string): EndpointSlice[] {
    const object = endpointsMirror.get(key);
    const service = served.get(key);
    if (!object || !service || service.spec?.selector || !isMirrored(object)) return [];
    return (object.subsets ?? []).flatMap((subset, i) => slicesOf(object, subset, i));
  }

  context.run({
    name: 'endpointslice-mirroring-controller',
    synced: [endpointsMirror.synced, served.synced, slices.synced],
    wire(queue) {
      for (const each of [endpointsMirror, served])
        each.onChange(({ old, new: now }) => {
          const object = now ?? old;
          if (object) queue.add(keyOf(object));
        });
    },
    async reconcile(key) {
      const wanted = wantedOf(key);
      for (const slice of wanted)
        await createOrUpdate(client, endpointSlices, slices.get(keyOf(slice)), slice, draft => {
          draft.metadata.labels = { ...slice.metadata.labels };
          draft.endpoints = slice.endpoints ?? [];
          draft.ports = slice.ports ?? [];
        });
      const names = new Set(wanted.map(keyOf));
      for (const slice of slices.byIndex('mirrored', key))
        if (!names.has(keyOf(slice))) await client.delete(endpointSlices, objectKey(slice));
    },
  });
}

/** Returns whether to mirror an Endpoints: not one of a controller or a leader election, nor one with the skip label. */
function isMirrored({ metadata: { labels, annotations, deletionTimestamp } }: Endpoints): boolean {
  if (deletionTimestamp !== undefined || labels?.[skipMirrorLabel] === 'true') return false;
  if (labels?.[endpointsManagedByLabel] !== undefined) return false;
  return annotations?.['control-plane.alpha.kubernetes.io/leader'] === undefined;
}

function slicesOf(object: Endpoints, subset: EndpointSubset, index: number): EndpointSlice[] {
  const { namespace, name = '', labels = {} } = object.metadata;
  const all = [...endpointsFrom(subset.addresses, true), ...endpointsFrom(subset.notReadyAddresses, false)];
  return ([4, 6] as const).flatMap(family => {
    const found = all.filter(({ addresses: [address = ''] }) => isIP(address) === family);
    if (found.length === 0) return [];
    return [
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: `${name}-mirror-${index}-ipv${family}`,
          ...(namespace === undefined ? {} : { namespace }),
          labels: {
            ...Object.fromEntries(Object.entries(labels).filter(([key]) => !ownLabels.has(key))),
            [serviceNameLabel]: name,
            [endpointSliceManagedByLabel]: manager,
          },
          ownerReferences: [controllerReference(object)],
        },
        addressType: `IPv${family}`,
        endpoints: found,
        ports: (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
          ...{ name, protocol },
          ...(port === undefined ? {} : { port }),
          ...(appProtocol === undefined ? {} : { appProtocol }),
        })),
      },
    ];
  });
}

const endpointsFrom = (addresses: readonly EndpointAddress[] = [], ready: boolean): Endpoint[] =>
  addresses.map(({ ip, hostname, nodeName, targetRef }) => ({
    addresses: [ip ?? ''],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  }));
