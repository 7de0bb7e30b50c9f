/** Converts definitions to and from the form that kube-apiserver stores, which is still v1beta1. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../apimachinery/interface.js';

type Plain = Record<string, unknown>;

interface OldVersion extends Plain {
  readonly additionalPrinterColumns?: readonly Plain[];
}

interface OldSpec extends Plain {
  /** The only version, or the first one. */
  readonly version?: string;
  readonly versions?: readonly OldVersion[];
  /** Shared by all versions, which then have none of their own. */
  readonly validation?: unknown;
  readonly subresources?: unknown;
  readonly additionalPrinterColumns?: readonly Plain[];
  readonly selectableFields?: readonly Plain[];
  readonly conversion?: {
    readonly strategy?: string;
    readonly webhookClientConfig?: unknown;
    readonly conversionReviewVersions?: readonly string[];
  };
  readonly preserveUnknownFields?: boolean;
}

const columnsOf = (columns: readonly Plain[] | undefined): readonly Plain[] | undefined =>
  columns?.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath }));

function conversionOf({
  strategy = 'None',
  webhookClientConfig,
  conversionReviewVersions,
}: NonNullable<OldSpec['conversion']>) {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const clientConfig = webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig };
  return { strategy, webhook: { ...clientConfig, conversionReviewVersions } };
}

/** Returns a stored definition as v1; one that is v1 stays unchanged. */
// as k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_apiextensions_CustomResourceDefinitionSpec_To_v1_...
export function fromV1beta1(object: KubeObject): KubeObject {
  if (object.apiVersion !== 'apiextensions.k8s.io/v1beta1') return object;
  const { version, versions, conversion, preserveUnknownFields, ...rest } = object['spec'] as OldSpec;
  const { validation, subresources, additionalPrinterColumns, selectableFields, ...kept } = rest;
  const known: readonly OldVersion[] = versions ?? [{ name: version, served: true, storage: true }];
  const shared = {
    ...(validation !== undefined && { schema: validation }),
    ...(subresources !== undefined && { subresources }),
    ...(additionalPrinterColumns && { additionalPrinterColumns }),
    ...(selectableFields && { selectableFields }),
  };
  const spec = {
    ...kept,
    versions: known.map(each => {
      const { additionalPrinterColumns: columns, ...merged } = { ...shared, ...each };
      return { ...merged, ...(columns && { additionalPrinterColumns: columnsOf(columns) }) };
    }),
    conversion: conversionOf(conversion ?? {}),
    ...(preserveUnknownFields && { preserveUnknownFields }),
  };
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1', spec };
}

interface Version extends Plain {
  readonly name: string;
  readonly additionalPrinterColumns?: readonly Plain[];
}

interface Spec extends Plain {
  readonly versions: readonly Version[];
  readonly conversion?: {
    readonly strategy: string;
    readonly webhook?: { readonly clientConfig?: unknown; readonly conversionReviewVersions?: readonly string[] };
  };
  readonly preserveUnknownFields?: boolean;
}

/** What versions can share: its name in a version -> its name at the top level. */
const shareable = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const;

const oldColumn = ({ jsonPath, ...column }: Plain): Plain => ({ ...column, JSONPath: jsonPath });

/** Fields in the order of the type. */
function oldConversion({ strategy, webhook }: NonNullable<Spec['conversion']>): Plain {
  const { clientConfig, conversionReviewVersions } = webhook ?? {};
  return {
    strategy,
    ...(clientConfig !== undefined && { webhookClientConfig: clientConfig }),
    ...(conversionReviewVersions && { conversionReviewVersions }),
  };
}

/** Returns a definition as kube-apiserver stores it: what is the same in all versions is written once. */
// as k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_...
export function toV1beta1(object: KubeObject): KubeObject {
  const { group, names, scope, versions, conversion, preserveUnknownFields = false } = object['spec'] as Spec;
  const old = versions.map(({ additionalPrinterColumns: columns, ...version }): Plain => ({
    ...version,
    ...(columns && { additionalPrinterColumns: columns.map(oldColumn) }),
  }));
  const shared: Plain = {};
  for (const [field, name] of Object.entries(shareable)) {
    const [first] = old;
    if (first?.[field] === undefined || !old.every(each => isDeepStrictEqual(each[field], first[field]))) continue;
    shared[name] = first[field];
    for (const each of old) delete each[field];
  }
  const { validation, subresources, additionalPrinterColumns, selectableFields } = shared;
  const spec = {
    ...{ group, version: versions[0]?.name, names, scope, validation, subresources },
    ...{ versions: old, additionalPrinterColumns, selectableFields },
    ...(conversion && { conversion: oldConversion(conversion) }),
    preserveUnknownFields,
  };
  return { ...object, apiVersion: 'apiextensions.k8s.io/v1beta1', spec };
}
