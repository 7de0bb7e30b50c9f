/** Validates the conversion between the versions of a definition. */
import type { Fault } from '../../../apimachinery/interface.js';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../../../apimachinery/errors/faults.js';
import { checkDns1035Label } from '../../../apimachinery/meta/names.js';
import { caBundleFault } from '../../strategy/ca-bundle.js';
import { webhookServiceFaults, webhookUrlFaults } from '../../strategy/webhook-client.js';
import { type CustomResourceDefinition, type Spec, type ConversionClientConfig, crdHasCondition } from '../crd.js';

const path = 'spec.conversion';
/** Versions of ConversionReview that this server supports. */
const reviewVersions = ['v1', 'v1beta1'];

/**
 * Returns the faults of the conversion. `old`: unknown review versions are accepted if the stored definition has only such ones.
 * as apiextensions-apiserver/pkg/apis/apiextensions/validation validateCustomResourceConversion
 */
export function conversionFaults({ conversion }: Spec, old: CustomResourceDefinition | undefined): Fault[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const faults: Fault[] = [];
  if (!strategy) faults.push(required(child(path, 'strategy')));
  else if (strategy !== 'None' && strategy !== 'Webhook')
    faults.push(notSupported(child(path, 'strategy'), strategy, ['None', 'Webhook']));
  const config = child(path, 'webhookClientConfig');
  const versions = child(path, 'conversionReviewVersions');
  const reviews = webhook?.conversionReviewVersions ?? [];
  if (strategy === 'Webhook') {
    faults.push(...clientFaults(webhook?.clientConfig, config));
    faults.push(...bundleFaults(webhook?.clientConfig?.caBundle, old, child(config, 'caBundle')));
    faults.push(...reviewVersionFaults(reviews, versions, wasSupported(old)));
    return faults;
  }
  const text = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig) faults.push(forbiddenField(config, text));
  if (reviews.length > 0) faults.push(forbiddenField(versions, text));
  return faults;
}

function clientFaults(client: ConversionClientConfig | undefined, at: string): Fault[] {
  if (!client) return [required(at, 'required when strategy is set to Webhook')];
  const { url, service } = client;
  if ((url === undefined) === (service === undefined))
    return [required(at, 'exactly one of url or service is required')];
  if (url !== undefined) return webhookUrlFaults(child(at, 'url'), url);
  return webhookServiceFaults(child(at, 'service'), service ?? {});
}

/** Returns the fault of a CA bundle. A definition that is not served yet gets a condition instead; an invalid bundle of a served one may stay. */
function bundleFaults(bundle: string | undefined, old: CustomResourceDefinition | undefined, at: string): Fault[] {
  const fault = bundle === undefined ? undefined : caBundleFault(bundle);
  if (fault === undefined || !old || !crdHasCondition(old, 'Established')) return [];
  const before = old.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  return caBundleFault(before) === undefined ? [invalidValue(at, bundle, fault)] : [];
}

/** Reports whether the old definition had a supported review version, or none at all; otherwise unsupported ones are still allowed. */
function wasSupported(old: CustomResourceDefinition | undefined): boolean {
  const before = old?.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return before.length === 0 || before.some(version => reviewVersions.includes(version));
}

function reviewVersionFaults(versions: readonly string[], at: string, mustBeSupported: boolean): Fault[] {
  if (versions.length === 0) return [required(at)];
  const faults: Fault[] = [];
  versions.forEach((version, i) => {
    if (versions.indexOf(version) < i)
      return void faults.push(invalidValue(index(at, i), version, 'duplicate version'));
    for (const text of checkDns1035Label(version)) faults.push(invalidValue(index(at, i), version, text));
  });
  if (mustBeSupported && !versions.some(version => reviewVersions.includes(version)))
    faults.push(invalidValue(at, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  return faults;
}
