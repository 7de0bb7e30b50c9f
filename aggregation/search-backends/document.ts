/** The documents that an OpenSearch has of objects. as pkg/search/backendstore/opensearch.go upsert */
import type { KubeObject } from '../../apimachinery/interface.js';
import { lastAppliedAnnotation } from '../../apimachinery/patch/last-applied.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';

/** The creation time of an object that has none, as Go writes it. */
const noTime = '0001-01-01T00:00:00Z';

/** Returns the name of the index with the documents of a kind, of all clusters and namespaces. */
export const openSearchIndex = (kind: string): string => `kubernetes-${kind.toLowerCase()}`;

/** Returns the annotations without that of `kubectl apply`, which has the whole object. */
// differs: Karmada sends it, and with it the data of Secrets
function annotationsOf({ annotations }: KubeObject['metadata']): Readonly<Record<string, string>> | null {
  if (!annotations) return null;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return others;
}

/** Returns the document of an object as JSON. `spec` and `status` are texts of JSON in it, `null` without one. */
export function documentOf(object: KubeObject): string {
  const { apiVersion, kind, metadata } = object;
  const { name = '', namespace = '', creationTimestamp = noTime, labels = null } = metadata;
  return JSON.stringify({
    apiVersion,
    kind,
    metadata: {
      ...{ name, namespace, creationTimestamp, labels, annotations: annotationsOf(metadata) },
      deletionTimestamp: metadata.deletionTimestamp ?? null,
    },
    spec: goJson(sortKeys(object['spec'])),
    status: goJson(sortKeys(object['status'])),
  });
}
