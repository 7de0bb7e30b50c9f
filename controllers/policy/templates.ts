import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { isReservedNamespace, labels } from '../../registry/kinds/karmada/well-known.js';
import type { MappedResource } from '../../registry/interface.js';
import type { ControllerContext, Informer, ObjectChange } from '../runtime/interface.js';

/** `apiVersion|kind|namespace|name`: the same for a template and for the reference that a binding holds to it. */
export type TemplateKey = string;

export const templateKey = (ref: {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}): TemplateKey => `${ref.apiVersion}|${ref.kind}|${ref.namespace ?? ''}|${ref.name ?? ''}`;

export const keyOfTemplate = ({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): TemplateKey =>
  templateKey({ apiVersion, kind, ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) });

export interface TemplateSource {
  readonly resource: MappedResource;
  readonly informer: Informer;
}

/** Live mirrors of everything that can be propagated, growing and shrinking with the resources that are served. */
export interface Templates {
  get(key: TemplateKey): KubeObject | undefined;
  /** Where templates of a kind live; undefined when it is not served (any more). */
  source(apiVersion: string, kind: string): TemplateSource | undefined;
  /** Templates of a kind that carry this policy id. */
  claimed(apiVersion: string, kind: string, id: string): readonly KubeObject[];
  /** Called for what is there already, then for every change of what may be propagated. */
  onChange(listener: (change: ObjectChange) => void): void;
}

export interface TemplatesOptions {
  /** Groups, or `group/version/Kind`, that are never propagated, besides Karmada's own. */
  readonly skippedApis?: ReadonlySet<string>;
  /** Whole-name patterns. */
  readonly skippedNamespaces: readonly RegExp[];
}

const skippedGroups = new Set(['cluster.karmada.io', 'policy.karmada.io', 'work.karmada.io', 'events.k8s.io']);
const crds: GroupVersionResource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};

/**
 * Starts an informer for every served resource that can be listed, watched and deleted (inventory DET-01). Events are left out: nobody
 * propagates them, and they are written the most. differs: Karmada mirrors them too.
 */
export async function watchTemplates(context: ControllerContext, options: TemplatesOptions): Promise<Templates> {
  const sources = new Map<string, TemplateSource>();
  const listeners: ((change: ObjectChange) => void)[] = [];
  const { client, informers, signal } = context;

  const isPropagated = ({ metadata, kind, apiVersion }: KubeObject): boolean => {
    const { namespace = '', name } = metadata;
    if (isReservedNamespace(namespace) || options.skippedNamespaces.some(pattern => pattern.test(namespace)))
      return false;
    if (apiVersion !== 'v1' || kind !== 'ConfigMap') return true;
    return !(namespace === 'kube-system' && name === 'extension-apiserver-authentication');
  };

  const isWanted = ({ group, version, kind, resource, verbs }: MappedResource): boolean =>
    !skippedGroups.has(group) &&
    !(group === '' && resource === 'events') &&
    !options.skippedApis?.has(group) &&
    !options.skippedApis?.has(`${group}/${version}/${kind}`) &&
    ['list', 'watch', 'delete'].every(verb => verbs.includes(verb));

  function start(resource: MappedResource): TemplateSource {
    const claims = ({ metadata }: KubeObject): string[] =>
      [metadata.labels?.[labels.propagationPolicyId], metadata.labels?.[labels.clusterPropagationPolicyId]].filter(
        id => id !== undefined,
      );
    const informer = informers.informer(resource, { indexers: { claim: claims } });
    informer.onChange(change => {
      const object = change.new ?? change.old;
      if (object && isPropagated(object)) for (const listener of listeners) listener(change);
    });
    return { resource, informer };
  }

  async function rescan(): Promise<void> {
    const seen = new Set<string>();
    const known = new Set<string>(); // one version of a resource is enough: the preferred one comes first
    for (const resource of await client.mapper.resources()) {
      const place = `${resource.group}/${resource.resource}`;
      if (known.has(place) || !isWanted(resource)) continue;
      known.add(place);
      const id = sourceId(apiVersionOf(resource), resource.kind);
      seen.add(id);
      if (!sources.has(id)) sources.set(id, start(resource));
    }
    for (const [id, { resource }] of sources) {
      if (seen.has(id)) continue;
      sources.delete(id);
      informers.release(resource);
    }
  }

  await rescan();
  const definitions = informers.informer(crds);
  definitions.onChange(({ old, new: definition }) => {
    if (definition && old && old.metadata.resourceVersion === definition.metadata.resourceVersion) return;
    if (!signal.aborted)
      void client.mapper
        .refresh()
        .then(rescan)
        .catch((error: unknown) => context.log.warn({ err: error }, 'resources could not be discovered'));
  });
  await Promise.all([...sources.values()].map(({ informer }) => informer.synced));

  return {
    get(key) {
      const [apiVersion = '', kind = '', namespace = '', name = ''] = key.split('|');
      return sources.get(sourceId(apiVersion, kind))?.informer.get(namespace ? `${namespace}/${name}` : name);
    },
    source: (apiVersion, kind) => sources.get(sourceId(apiVersion, kind)),
    claimed: (apiVersion, kind, id) => sources.get(sourceId(apiVersion, kind))?.informer.byIndex('claim', id) ?? [],
    onChange(listener) {
      listeners.push(listener);
      for (const { informer } of sources.values())
        for (const object of informer.list()) if (isPropagated(object)) listener({ old: undefined, new: object });
    },
  };
}

const sourceId = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;
const apiVersionOf = ({ group, version }: GroupVersionResource): string => (group ? `${group}/${version}` : version);
