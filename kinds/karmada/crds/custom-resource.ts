import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Fields, struct, text } from './schema.js';
import { structural } from './structural.js';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
}

/** Returns the column with the age of an object. Karmada's kinds spell its name in both ways. */
export const ageColumn = (name: 'AGE' | 'Age'): PrinterColumn => ({
  name,
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
});

export interface CustomVersion {
  readonly name: string;
  /** Unset for the stored version. */
  readonly storage?: false;
  /** The type, in the notation of schema.ts; the definition has it as a structural schema. */
  readonly schema: Schema;
  readonly columns?: readonly PrinterColumn[];
  /** 'status': the version has the subresource; 'none': it states explicitly that there is none. */
  readonly subresources?: 'status' | 'none';
}

export interface CustomResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortName?: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Set for kinds that `kubectl get karmada-io` does not list. */
  readonly uncategorized?: true;
  readonly versions: readonly CustomVersion[];
}

/** Returns the schema of a kind: its type, metadata, and the given fields. */
export function kindSchema(description: string, fields: Fields): Schema {
  return struct(description, {
    kind: text('The kind of this object, in CamelCase.'),
    apiVersion: text('The group and version of this object, such as policy.karmada.io/v1alpha1.'),
    'metadata=': nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    ...fields,
  });
}

/** The published schema of a custom resource has metadata as a plain object. */
function published(schema: Schema): Schema {
  return structural({ ...schema, properties: { ...schema.properties, metadata: { type: 'object' } } });
}

/** Returns the CustomResourceDefinition object. */
export function customResource(definition: CustomResource): KubeObject {
  const { group, kind, plural, shortName, scope, versions } = definition;
  const { uncategorized = false } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        plural,
        singular: kind.toLowerCase(),
        ...(shortName !== undefined && { shortNames: [shortName] }),
        kind,
        listKind: `${kind}List`,
        ...(!uncategorized && { categories: ['karmada-io'] }),
      },
      scope,
      versions: versions.map(version => ({
        name: version.name,
        served: true,
        storage: version.storage ?? true,
        schema: { openAPIV3Schema: published(version.schema) },
        ...(version.subresources && { subresources: version.subresources === 'status' ? { status: {} } : {} }),
        ...(version.columns && { additionalPrinterColumns: version.columns }),
      })),
      conversion: { strategy: 'None' },
    },
  };
}
