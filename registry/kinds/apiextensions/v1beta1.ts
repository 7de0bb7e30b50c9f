/** Definitions as kube-apiserver stores them: it writes v1beta1 to this day. */
import type { KubeObject } from '../../../openapi/interface.js';

type Plain = Record<string, unknown>;

interface OldVersion extends Plain {
  readonly additionalPrinterColumns?: readonly Plain[];
}

interface OldSpec extends Plain {
  /** The only version, or the first of them. */
  readonly version?: string;
  readonly versions?: readonly OldVersion[];
  /** Shared by all versions, which then have none of their own. */
  readonly validation?: unknown;
  readonly subresources?: unknown;
  readonly additionalPrinterColumns?: readonly Plain[];
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

/** A stored definition as v1; one that is v1 stays as it is. */
// as k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_apiextensions_CustomResourceDefinitionSpec_To_v1_...
export function fromV1beta1(object: KubeObject): KubeObject {
  if (object.apiVersion !== 'apiextensions.k8s.io/v1beta1') return object;
  const { version, versions, validation, subresources, additionalPrinterColumns, conversion, ...rest } = object[
    'spec'
  ] as OldSpec;
  const { preserveUnknownFields, ...kept } = rest;
  const known: readonly OldVersion[] = versions ?? [{ name: version, served: true, storage: true }];
  const shared = {
    ...(validation !== undefined && { schema: validation }),
    ...(subresources !== undefined && { subresources }),
    ...(additionalPrinterColumns && { additionalPrinterColumns }),
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
