/** CustomResourceDefinition objects (apiextensions.k8s.io/v1), as far as the server reads them. */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { type SchemaProps, toSchema } from '../../openapi/schema/schema-props.js';

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface Subresources {
  readonly status?: object;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: SchemaProps };
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly ColumnDefinition[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface ConversionClientConfig {
  readonly url?: string;
  readonly caBundle?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
}

interface Conversion {
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig?: ConversionClientConfig;
    readonly conversionReviewVersions?: readonly string[];
  };
}

export interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: Names;
  readonly versions: readonly Version[];
  readonly conversion?: Conversion;
  readonly preserveUnknownFields?: boolean;
}

export interface CrdCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CrdStatus {
  readonly conditions?: readonly CrdCondition[] | null;
  readonly acceptedNames?: Names;
  readonly storedVersions?: readonly string[];
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: Spec;
  readonly status?: CrdStatus;
}

/** Returns the schema of a version, whose definition must be valid. */
export function schemaOf({ schema }: Version): Schema | undefined {
  return schema?.openAPIV3Schema && toSchema(schema.openAPIV3Schema);
}

/** The versions of a definition without `versions`. */
export const noVersions: readonly Version[] = [];

/** Returns the object as a definition. It is not checked, since the schema has validated it before. */
export function asDefinition(object: KubeObject): CustomResourceDefinition {
  const definition = object as CustomResourceDefinition;
  const { spec } = definition;
  // A request without versions decodes to null; rules expect a list.
  return (spec.versions as unknown) === null ? { ...definition, spec: { ...spec, versions: noVersions } } : definition;
}

/** Returns the condition of a type; undefined if the definition does not have it yet. */
export function conditionOf({ status }: CustomResourceDefinition, type: string): CrdCondition | undefined {
  return status?.conditions?.find(condition => condition.type === type);
}

/** Reports whether a condition is True. A condition that is absent is not. as apiextensions-apiserver/pkg/apihelpers IsCRDConditionTrue */
export const crdHasCondition = (crd: CustomResourceDefinition, type: string): boolean =>
  conditionOf(crd, type)?.status === 'True';

/** Returns the conditions with one added or replaced. Its lastTransitionTime is `now` (RFC 3339) if its status changes. */
// as apiextensions-apiserver/pkg/apihelpers SetCRDCondition
export function withCrdCondition(
  conditions: readonly CrdCondition[] | null | undefined,
  { type, status, reason, message }: Required<Omit<CrdCondition, 'lastTransitionTime'>>,
  now: string,
): CrdCondition[] {
  const all = conditions ?? [];
  const old = all.find(condition => condition.type === type);
  const lastTransitionTime = old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : now;
  const next: CrdCondition = { ...old, type, status, lastTransitionTime, reason, message };
  return old ? all.map(condition => (condition === old ? next : condition)) : [...all, next];
}
