/**
 * Fields that are equal in all versions of a definition are validated once, and their faults have the paths of kube-apiserver's internal type, in
 * which they are fields of the spec: `spec.validation`, `spec.subresources`, `spec.additionalPrinterColumns`.
 */
// as apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_v1_CustomResourceDefinitionSpec_To_apiextensions
import type { InSteps } from '../../../lib/time-slice.js';
import type { Spec, Version } from '../crd.js';
import { definitionEqualSteps } from '../definition-equal.js';

const common = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Common = (typeof common)[number];

export interface SharedFields {
  /** Fields that are equal in all versions. */
  readonly shared: Readonly<Pick<Version, Common>>;
  /** The versions without the shared fields. */
  readonly versions: readonly Version[];
}

function* isShared(versions: readonly Version[], first: Version, field: Common): InSteps<boolean> {
  for (const version of versions) if (!(yield* definitionEqualSteps(version[field], first[field], field))) return false;
  return true;
}

/** Splits the versions of a spec, in steps, into the fields that are equal in all of them, and the versions without these fields. */
export function* splitSharedFields({ versions }: Spec): InSteps<SharedFields> {
  const [first] = versions;
  if (!first) return { shared: {}, versions };
  const equal: Common[] = [];
  for (const field of common) if (yield* isShared(versions, first, field)) equal.push(field);
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
