/**
 * Fields that are equal in all versions of a definition are validated once, and their faults have the paths of kube-apiserver's internal type, in
 * which they are fields of the spec: `spec.validation`, `spec.subresources`, `spec.additionalPrinterColumns`.
 */
// as apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_v1_CustomResourceDefinitionSpec_To_apiextensions
import type { Spec, Version } from '../crd.js';
import { definitionEqual } from '../definition-equal.js';

const common = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Common = (typeof common)[number];

export interface SharedFields {
  /** Fields that are equal in all versions. */
  readonly shared: Readonly<Pick<Version, Common>>;
  /** The versions without the shared fields. */
  readonly versions: readonly Version[];
}

/** Splits the versions of a spec into the fields that are equal in all of them, and the versions without these fields. */
export function splitSharedFields({ versions }: Spec): SharedFields {
  const [first] = versions;
  if (!first) return { shared: {}, versions };
  const equal = common.filter(field => versions.every(version => definitionEqual(version[field], first[field], field)));
  const shared = Object.fromEntries(
    equal.flatMap(field => (first[field] === undefined ? [] : [[field, first[field]]])),
  );
  const others = versions.map(version => {
    const other: { -readonly [Field in keyof Version]: Version[Field] } = { ...version };
    for (const field of equal) delete other[field];
    return other;
  });
  return { shared, versions: others };
}
