import type { KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import { isReservedNamespace, labels } from '../../api/karmada/well-known.js';
import type { MappedResource } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import type { ControllerContext, Informer, Key, ObjectChange } from '../../client/runtime/interface.js';
import {
  findMirrored,
  isDeletable,
  type Mirror,
  mirrorResources,
  type Mirrors,
} from '../../client/runtime/mirrors/mirrors.js';
import { policyIds } from './claim.js';
import { parseSkippedApis, type SkippedApis } from './skipped-apis.js';

/** `apiVersion|kind|namespace|name`, which is the same for a template and for the reference to it in a binding. */
export type TemplateKey = string;

/** Returns the key of a template among those of all kinds. */
export const templateKey = (ref: {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}): TemplateKey => `${ref.apiVersion}|${ref.kind}|${ref.namespace ?? ''}|${ref.name ?? ''}`;

/** Returns the place of a template from its key. */
export function placeOfTemplate(template: TemplateKey): TemplatePlace {
  const [apiVersion = '', kind = '', namespace = '', name = ''] = template.split('|');
  return { apiVersion, kind, namespace, name, key: namespacedName(namespace, name) };
}

/** Live mirrors of all objects that can be propagated. */
export interface Templates {
  get(key: TemplateKey): KubeObject | undefined;
  /** Returns the mirror of a kind; undefined if the kind is not served. */
  source(apiVersion: string, kind: string): Mirror | undefined;
  /** Yields the keys of the templates of a kind with this policy id. Parses nothing; the mirror may change meanwhile. */
  claimed(apiVersion: string, kind: string, id: string): Iterable<TemplateKey>;
  /** Reports whether a template has a policy id. Parses nothing. */
  isClaimed(at: TemplatePlace): boolean;
  /**
   * Yields the templates of a kind without a policy id, those of a namespace and those of a name if these are set. Parses nothing; the mirror may
   * change meanwhile.
   */
  unclaimed(of: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name?: string;
  }): Iterable<TemplatePlace>;
  /** Calls the listener for existing templates, then for every change. */
  onChange(listener: TemplateListener): void;
}

type TemplateListener = (change: ObjectChange, at: TemplatePlace) => void;

/** The identity of a template, which is known without parsing it. */
export interface TemplatePlace {
  readonly apiVersion: string;
  readonly kind: string;
  /** '' for cluster-scoped ones. */
  readonly namespace: string;
  readonly name: string;
  readonly key: Key;
}

interface TemplatesOptions {
  /** The value of `--skipped-propagating-apis`. */
  readonly skippedApis?: SkippedApis | undefined;
  /** Patterns that match the whole name of a namespace. */
  readonly skippedNamespaces: readonly { test(name: string): boolean }[];
}

/** The APIs that are never propagated. as pkg/util NewSkippedResourceConfig */
const neverPropagated = parseSkippedApis(
  [
    ...['cluster', 'policy', 'work', 'config', 'networking', 'autoscaling', 'remedy', 'apps'].map(
      group => `${group}.karmada.io`,
    ),
    ...['events.k8s.io', 'coordination.k8s.io/v1', 'v1/Event'],
  ].join(';'),
);

/**
 * Mirrors every served resource that can be listed, watched and deleted, except Events, which are never propagated, and are the most frequent
 * writes. differs: Karmada mirrors Events, too.
 */
export async function watchTemplates(context: ControllerContext, options: TemplatesOptions): Promise<Templates> {
  const wants = (resource: MappedResource): boolean =>
    !neverPropagated.includes(resource) && !options.skippedApis?.includes(resource) && isDeletable(resource);
  return new MirroredTemplates(await mirrorResources(context, { wants, indexers: { claim } }), options);
}

/** The index of templates by their policy ids. */
const claim = {
  probe: { text: labels.propagationPolicyId }, // a substring of the label of cluster policies
  values: ({ metadata }: KubeObject) => policyIds(metadata.labels),
};

class MirroredTemplates implements Templates {
  readonly #mirrors: Mirrors;
  readonly #skippedNamespaces: TemplatesOptions['skippedNamespaces'];

  constructor(mirrors: Mirrors, { skippedNamespaces }: TemplatesOptions) {
    this.#mirrors = mirrors;
    this.#skippedNamespaces = skippedNamespaces;
  }

  get(key: TemplateKey): KubeObject | undefined {
    const at = placeOfTemplate(key);
    return findMirrored(this.#mirrors, at.apiVersion, at.kind, at.key);
  }

  source(apiVersion: string, kind: string): Mirror | undefined {
    return this.#mirrors.forKind(apiVersion, kind);
  }

  *claimed(apiVersion: string, kind: string, id: string): Generator<TemplateKey, void> {
    const mirror = this.source(apiVersion, kind);
    if (!mirror) return;
    for (const key of mirror.informer.keysByIndex('claim', id)) yield templateKey(placeIn(mirror, key));
  }

  isClaimed({ apiVersion, kind, key }: TemplatePlace): boolean {
    return this.source(apiVersion, kind)?.informer.isIndexed('claim', key) ?? false;
  }

  *unclaimed({
    apiVersion,
    kind,
    namespace,
    name,
  }: Parameters<Templates['unclaimed']>[0]): Generator<TemplatePlace, void> {
    const mirror = this.source(apiVersion, kind);
    if (!mirror) return;
    const { informer } = mirror;
    for (const key of keysOf(informer, namespace, name)) {
      if (informer.isIndexed('claim', key)) continue;
      const at = placeIn(mirror, key);
      if (this.#isPropagated(at)) yield at;
    }
  }

  onChange(listener: TemplateListener): void {
    this.#mirrors.onChange((change, mirror) => {
      const at = placeIn(mirror, change.key);
      if (this.#isPropagated(at)) listener(change, at);
    });
  }

  #isPropagated({ apiVersion, kind, namespace, name }: TemplatePlace): boolean {
    if (isReservedNamespace(namespace) || this.#skippedNamespaces.some(pattern => pattern.test(namespace)))
      return false;
    if (apiVersion !== 'v1' || kind !== 'ConfigMap') return true;
    return !(namespace === 'kube-system' && name === 'extension-apiserver-authentication');
  }
}

const placeIn = ({ resource }: Mirror, key: Key): TemplatePlace => {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, key, ...splitKey(key) };
};

/** Returns the keys of a mirror, those in a namespace and with a name if these are set. */
function keysOf(informer: Informer, namespace: string | undefined, name: string | undefined): Iterable<Key> {
  if (!name) return namespace ? informer.keysIn(namespace) : informer.cached.keys();
  if (!namespace) return informer.keysNamed(name);
  const key = namespacedName(namespace, name);
  return informer.cached.has(key) ? [key] : [];
}
