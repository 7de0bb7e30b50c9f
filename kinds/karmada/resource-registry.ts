/** Defines search.karmada.io: ResourceRegistry, which selects what is mirrored from the members, and two kinds that only serve connections. */
import { parseGoUrl } from '../../lib/go/go-url.js';
import { readApiVersion } from '../../apimachinery/meta/gvk.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { statusPart } from '../../registry/strategy/parts.js';
import { strategy } from '../../registry/strategy/strategy.js';
import type { Field } from '../shared/rules/field.js';
import { dnsLabel } from '../shared/rules/name-rules.js';
import { plainPrinter } from '../../registry/printer.js';
import { validate } from '../shared/rules/validate.js';
import { clusterAffinity } from './policies/affinity-rules.js';
import { compiledKind, proxyVerbs, storedVerbs } from './compiled-kind.js';
import type { ResourceRegistry } from '../../api/karmada/types.js';

const group = 'search.karmada.io';

type Spec = ResourceRegistry['spec'];

function selector(field: Field<NonNullable<Spec['resourceSelectors']>[number]>): void {
  const apiVersion = field.at('apiVersion');
  if (!readApiVersion(apiVersion.value ?? ''))
    apiVersion.invalid(`unexpected GroupVersion string: ${apiVersion.value ?? ''}`);
  const namespace = field.at('namespace');
  if (!namespace.isEmpty) dnsLabel(namespace);
}

function address(field: Field<string>): void {
  const url = parseGoUrl(field.value ?? '');
  if ('error' in url) field.invalid(url.error, field.value ?? '');
  else if (url.host === '' || (url.scheme !== 'http' && url.scheme !== 'https'))
    field.invalid('must be a valid http or https URL with non-empty scheme and host', field.value ?? '');
}

/** as pkg/apis/search/validation ValidateResourceRegistrySpec */
const rules = validate<ResourceRegistry>(root => {
  const spec = root.at('spec');
  clusterAffinity(spec.at('targetCluster'));
  for (const each of spec.at('resourceSelectors').items()) selector(each);
  for (const each of spec.at('backendStore').at('openSearch').at('addresses').items()) address(each);
});

const registry = (): ResourceDefinition => ({
  ...compiledKind({
    group,
    kind: 'ResourceRegistry',
    plural: 'resourceregistries',
    singular: 'resourceregistry',
    verbs: storedVerbs,
    printer: plainPrinter,
    // Status may be written with the spec: upstream resets nothing and does not count generations.
    strategy: strategy({
      validateCreate: [rules],
      validateUpdate: [rules],
      resetFields: ['status'],
      metadataRepeats: ['change', 'whole'],
    }),
    // differs: upstream's does not check the spec.
    subresources: { status: statusPart() },
  }),
  // Upstream's store uses this name for the resource.
  storagePrefix: `/registry/${group}/resourceRegistries`,
});

/** Kinds without objects: their names are the first part of a path that is served elsewhere. */
const connectKind = (kind: string, name: string, verbs: ResourceDefinition['verbs']): ResourceDefinition =>
  compiledKind({
    ...{ group, kind, verbs },
    plural: name,
    singular: name,
    printer: plainPrinter,
    strategy: strategy(),
    subresources: {},
  });

/** Returns the kinds of `search.karmada.io`. */
export const searchDefinitions = (): readonly ResourceDefinition[] => [
  registry(),
  connectKind('Search', 'search', ['get']),
  connectKind('Proxying', 'proxying', proxyVerbs),
];
