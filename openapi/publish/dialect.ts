import type { PublishedResource } from './interface.js';
import { query, type Parameter } from './operation.js';

/** The differences between the operations of compiled resources and those of custom resources. */
export interface Dialect {
  readonly objectTypes: readonly string[];
  readonly listTypes: readonly string[];
  readonly bodyTypes: readonly string[];
  readonly patchTypes: readonly string[];
  /** Custom resources have no paths under `/watch`. */
  readonly watchPaths: boolean;
  readonly getParameters: readonly Parameter[];
  readonly deleteCollectionParameters: readonly Parameter[];
  /** DELETE of a collection takes DeleteOptions, and server-side apply (a PATCH) may answer 201. */
  readonly complete: boolean;
}

export const listParameterDocuments: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean'),
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('shardSelector', 'string'),
  query('timeoutSeconds', 'integer'),
  query('watch', 'boolean'),
];

export const deleteParameters: readonly Parameter[] = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'),
  query('orphanDependents', 'boolean'),
  query('propagationPolicy', 'string'),
];

export const writeParameters: readonly Parameter[] = [
  query('dryRun', 'string'),
  query('fieldManager', 'string'),
  query('fieldValidation', 'string'),
];

export const patchParameters: readonly Parameter[] = [...writeParameters, query('force', 'boolean')];

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const patches = ['application/json-patch+json', 'application/merge-patch+json'];
const apply = 'application/apply-patch+yaml';

// as apiextensions-apiserver/pkg/controller/openapi/builder buildRoute
const customDialect: Dialect = {
  objectTypes: [json, yaml],
  listTypes: [json, yaml],
  bodyTypes: [json, yaml],
  patchTypes: [...patches, apply],
  watchPaths: false,
  getParameters: [query('resourceVersion', 'string')],
  deleteCollectionParameters: listParameterDocuments,
  complete: false,
};

// as apiserver/pkg/endpoints installer registerResourceHandlers
function compiledDialect({ wire }: PublishedResource): Dialect {
  const binary = wire.protobuf ? [protobuf] : [];
  return {
    objectTypes: [json, yaml, ...binary],
    listTypes: [json, yaml, ...binary, `${json};stream=watch`, ...binary.map(type => `${type};stream=watch`)],
    bodyTypes: ['*/*'],
    patchTypes: [...patches, ...(wire.strategicMerge ? ['application/strategic-merge-patch+json'] : []), apply],
    watchPaths: true,
    getParameters: [],
    deleteCollectionParameters: [
      ...deleteParameters,
      ...listParameterDocuments.filter(p => p.name !== 'watch' && p.name !== 'allowWatchBookmarks'),
    ],
    complete: true,
  };
}

/** Returns the dialect of a resource: the documents of custom resources name other formats and parameters than those of compiled kinds. */
export function dialectOf(resource: PublishedResource): Dialect {
  return resource.wire.itemsCarryType ? customDialect : compiledDialect(resource);
}
