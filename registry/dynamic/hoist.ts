/**
 * What all versions of a definition have in common is checked once, and its faults have the paths that it would have in a definition of
 * long ago, when it stood in the spec itself: `spec.validation`, `spec.subresources`, `spec.additionalPrinterColumns`.
 */
// as apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_v1_CustomResourceDefinitionSpec_To_apiextensions
import type { Spec, Version } from './crd.js';
import { definitionEqual } from './definition-equal.js';

const common = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Common = (typeof common)[number];

export interface Hoisted {
  /** What all versions say alike; absent where they differ or say nothing. */
  readonly shared: Readonly<Pick<Version, Common>>;
  /** The versions with what they have of their own. */
  readonly versions: readonly Version[];
}

export function hoist({ versions }: Spec): Hoisted {
  const [first] = versions;
  if (!first) return { shared: {}, versions };
  const alike = common.filter(field => versions.every(version => definitionEqual(version[field], first[field], field)));
  const shared = Object.fromEntries(
    alike.flatMap(field => (first[field] === undefined ? [] : [[field, first[field]]])),
  );
  const own = versions.map(version => {
    const left: Record<string, unknown> = { ...version };
    for (const field of alike) delete left[field];
    return left as unknown as Version;
  });
  return { shared, versions: own };
}
