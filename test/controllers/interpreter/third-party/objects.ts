/** Objects of third-party kinds for tests. */
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';

/** Returns an object of a kind such as `kyverno.io/v1/Policy`. Its name is `o`, its namespace `n`, its generation 3. */
export function objectOf(kind: string, fields: JsonObject = {}): KubeObject {
  const slash = kind.lastIndexOf('/');
  const metadata = { name: 'o', namespace: 'n', generation: 3 };
  return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1), metadata, ...fields };
}

/** Returns what the clusters `m1`, `m2` and so on report. */
export const itemsOf = (...statuses: readonly (JsonObject | undefined)[]): AggregatedStatusItem[] =>
  statuses.map((status, i) => ({ clusterName: `m${i + 1}`, ...(status && { status }) }));

/** The generations in a status, collected from a member that has observed the newest template. */
export const observed = { resourceTemplateGeneration: 3, generation: 7, observedGeneration: 7 };

/** Returns a function for objects of the kind, in the namespace `n`. */
export const objectsOf =
  (apiVersion: string, kind: string) =>
  (fields: JsonObject): KubeObject => ({ apiVersion, kind, metadata: { name: 'o', namespace: 'n' }, ...fields });

/** Returns a pod template whose container requests the CPU. */
export const templateWith = (cpu: string, spec: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
});
