import type { Pod, PodTemplateSpec } from '../../openapi/gen/core-v1.js';
import type { JsonObject, KubeObject } from '../../apimachinery/interface.js';
import { fnv32a, safeEncode } from '../../lib/hash.js';
import { jsonText } from '../../lib/json/json.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';

/** Builds a Pod from a workload's template. `name` is complete, or ends with a dash and is completed by the server. */
export function podOf(owner: KubeObject, template: PodTemplateSpec, name: string): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const named = name.endsWith('-') ? { generateName: name } : { name };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...named,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      ...(labels ? { labels: { ...labels } } : {}),
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ...(finalizers ? { finalizers: [...finalizers] } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    ...(template.spec ? { spec: structuredClone(template.spec) } : {}),
  };
}

/**
 * Returns a short hash of a template, for `pod-template-hash` and revision names. Upstream hashes Go's memory layout, which cannot be
 * reproduced; the hash only has to differ between different templates.
 */
export function templateHash(template: PodTemplateSpec, collisions = 0): string {
  const known = hashes.get(template);
  if (known?.collisions === collisions) return known.hash;
  const hash = safeEncode(String(fnv32a(jsonText(ordered(template)) + String(collisions))));
  hashes.set(template, { hash, collisions });
  return hash;
}

/** Hashes by template. Objects are immutable, and a status update keeps the template object. */
const hashes = new WeakMap<PodTemplateSpec, { readonly hash: string; readonly collisions: number }>();

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
};
