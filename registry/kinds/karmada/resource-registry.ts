/** search.karmada.io: ResourceRegistry, which says what is mirrored from the members (inventory SRH-01, SRH-08), and two kinds that only lead on. */
import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue } from '../../../openapi/meta/faults.js';
import { parseGoUrl } from '../../../openapi/meta/go-url.js';
import { readApiVersion } from '../../../openapi/meta/gvk.js';
import { checkDns1123Label } from '../../../openapi/meta/names.js';
import type { ResourceDefinition } from '../../interface.js';
import { statusPart } from '../../strategy/parts.js';
import { strategy } from '../../strategy/strategy.js';
import { plainPrinter } from '../shared/printer.js';
import { affinityFaults } from './affinity-faults.js';
import { compiledKind, proxyVerbs, storedVerbs } from './compiled-kind.js';
import type { ResourceRegistry } from './types.js';

const group = 'search.karmada.io';

type Selector = NonNullable<ResourceRegistry['spec']['resourceSelectors']>[number];

function selectorFaults({ apiVersion, namespace = '' }: Selector, path: string): Fault[] {
  const faults: Fault[] = [];
  if (!readApiVersion(apiVersion)) {
    const text = `unexpected GroupVersion string: ${apiVersion}`;
    faults.push(invalidValue(child(path, 'apiVersion'), apiVersion, text));
  }
  const wrong = namespace === '' ? [] : checkDns1123Label(namespace);
  return [...faults, ...wrong.map(text => invalidValue(child(path, 'namespace'), namespace, text))];
}

function addressFaults(address: string, path: string): Fault[] {
  const url = parseGoUrl(address);
  if ('error' in url) return [invalidValue(path, address, url.error)];
  if (url.host !== '' && (url.scheme === 'http' || url.scheme === 'https')) return [];
  return [invalidValue(path, address, 'must be a valid http or https URL with non-empty scheme and host')];
}

/** as pkg/apis/search/validation ValidateResourceRegistrySpec */
function registryFaults({ spec }: ResourceRegistry): Fault[] {
  const selectors = (spec.resourceSelectors ?? []).flatMap((selector, i) =>
    selectorFaults(selector, index('spec.resourceSelectors', i)),
  );
  const addresses = (spec.backendStore?.openSearch?.addresses ?? []).flatMap((address, i) =>
    addressFaults(address, index('spec.backendStore.openSearch.addresses', i)),
  );
  return [...affinityFaults(spec.targetCluster, 'spec.targetCluster'), ...selectors, ...addresses];
}

const judge = (object: unknown): Fault[] => registryFaults(object as ResourceRegistry);

const registry = (): ResourceDefinition =>
  compiledKind({
    group,
    kind: 'ResourceRegistry',
    plural: 'resourceregistries',
    singular: 'resourceregistry',
    verbs: storedVerbs,
    printer: plainPrinter,
    // Status may be written with the spec: upstream resets nothing, and counts no generations.
    strategy: strategy({
      validateCreate: [judge],
      validateUpdate: [judge],
      resetFields: ['status'],
      metadataRepeats: 2,
    }),
    // differs: upstream's lets the spec through.
    subresources: { status: statusPart() },
  });

/** Kinds of which there are no objects: their names are the first part of a path that is served elsewhere. */
const doorway = (kind: string, name: string, verbs: ResourceDefinition['verbs']): ResourceDefinition =>
  compiledKind({
    ...{ group, kind, verbs },
    plural: name,
    singular: name,
    printer: plainPrinter,
    strategy: strategy(),
    subresources: {},
  });

export const searchDefinitions = (): readonly ResourceDefinition[] => [
  registry(),
  doorway('Search', 'search', ['get']),
  doorway('Proxying', 'proxying', proxyVerbs),
];
