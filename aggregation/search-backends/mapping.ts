/** The settings and the mapping of the indexes, which are those of Karmada. as pkg/search/backendstore/opensearch.go mapping */

const text = { type: 'text' } as const;
/** Text that can be found as a whole, too. */
const name = { ...text, fields: { keyword: { type: 'keyword', ignore_above: 256 } } } as const;
/** Objects and texts that are stored, but cannot be searched. */
const unsearched = { type: 'object', enabled: false } as const;

export const indexSettings = {
  settings: { index: { number_of_shards: 1, number_of_replicas: 0 } },
  mappings: {
    properties: {
      apiVersion: text,
      kind: text,
      metadata: {
        properties: {
          annotations: unsearched,
          creationTimestamp: text,
          deletionTimestamp: text,
          labels: unsearched,
          name,
          namespace: name,
          ownerReferences: text,
          resourceVersion: name,
        },
      },
      spec: unsearched,
      status: unsearched,
    },
  },
};
