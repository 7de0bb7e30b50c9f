import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import { nativeResources, type NativeResource } from '../../../openapi/facts/resources.js';
import type {
  PublishedResource,
  PublishedSubresource,
  PublishSource,
  ToProtobuf,
} from '../../../openapi/publish/interface.js';
import { protobufTask, protobufTasks } from '../../../openapi/publish/protobuf/protobuf-tasks.js';

/** Resources whose immediate deletion returns the object. */
const returned = new Set([
  ...['pods', 'services', 'serviceaccounts', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims'],
  ...['resourcequotas', 'podtemplates', 'storageclasses', 'volumeattributesclasses', 'volumeattachments'],
  ...['csinodes', 'csidrivers', 'deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
  'devicetaintrules',
]);

function subresourceOf(resource: NativeResource, fact: NativeResource['subresources'][number]): PublishedSubresource {
  const { name, kind, verbs } = fact;
  if (name === 'scale') return { type: 'scale', verbs };
  if (verbs.join() === 'create') return { type: 'action', verbs, kind };
  return kind.kind === resource.kind && name !== 'log' ? { type: 'part', verbs } : { type: 'connect', verbs, kind };
}

/** Returns one definition per resource and version, since upstream enables each version separately. */
export function nativePublished(filter: (resource: NativeResource) => boolean = () => true): PublishedResource[] {
  return nativeResources()
    .filter(filter)
    .map(r => ({
      ...r,
      listKind: `${r.kind}List`,
      versions: [{ name: r.version, served: true, schema: nativeSchema(r.typeName), selectableFields: {} }],
      storageVersion: r.version,
      subresources: Object.fromEntries(r.subresources.map(s => [s.name, subresourceOf(r, s)])),
      strategy: { returnsDeleted: returned.has(r.plural) },
      wire: { itemsCarryType: false, strategicMerge: true, protobuf: true },
    }));
}

/** Returns the definition of a custom resource; `crd` replaces the defaults. */
export function custom(crd: Partial<PublishedResource> & Pick<PublishedResource, 'group' | 'kind'>): PublishedResource {
  const plural = `${crd.kind.toLowerCase()}s`;
  return {
    listKind: `${crd.kind}List`,
    plural,
    singular: crd.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    versions: [{ name: 'v1', served: true, schema: { type: 'object' }, selectableFields: {} }],
    storageVersion: 'v1',
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: {},
    strategy: { returnsDeleted: false },
    wire: { itemsCarryType: true, strategicMerge: false, protobuf: false },
    ...crd,
  };
}

export function sourceOf(resources: readonly PublishedResource[], more: Partial<PublishSource> = {}): PublishSource {
  return { generation: () => 1, resources: () => resources, ...more };
}

/** Converts as the server does, but in this thread. */
export const toProtobuf: ToProtobuf = (version, json) =>
  Promise.resolve(protobufTasks[protobufTask(version)]?.(json) ?? new Uint8Array());
