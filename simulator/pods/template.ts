import type { Pod, PodTemplateSpec } from '../../openapi/gen/core-v1.js';
import type { JsonObject, KubeObject } from '../../apimachinery/interface.js';
import { fnv32a, safeEncode } from '../../lib/hash.js';
import { jsonText } from '../../lib/json/json.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';

/** A Pod of a workload, as its template says. `name` is one of its own, or ends in a dash: then the server completes it. */
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
 * A short name for a template, the same for equal ones: what `pod-template-hash` and revisions are named by. The real one hashes Go's
 * memory layout and cannot be reproduced; it only has to differ where templates differ.
 */
export function templateHash(template: PodTemplateSpec, collisions = 0): string {
  const known = hashes.get(template);
  if (known?.collisions === collisions) return known.hash;
  const hash = safeEncode(String(fnv32a(jsonText(ordered(template)) + String(collisions))));
  hashes.set(template, { hash, collisions });
  return hash;
}

/** Objects are never changed: a status that is written leaves the template what it is. */
const hashes = new WeakMap<PodTemplateSpec, { readonly hash: string; readonly collisions: number }>();

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
};
