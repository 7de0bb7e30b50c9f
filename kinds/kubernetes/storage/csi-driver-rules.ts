// as pkg/apis/storage/validation ValidateCSIDriver, ValidateCSIDriverUpdate
import { semanticEqual } from '../../../lib/json/equality.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '../../../api/kubernetes/storage.js';

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycles = ['Persistent', 'Ephemeral'];
const minSeconds = 600;
const maxSeconds = 2 ** 32;
const minPeriod = 10;

function tokens(list: Field<TokenRequest[]>): void {
  const seen = new Set<string>();
  for (const request of list.items()) {
    const audience = request.value?.audience ?? '';
    const seconds = request.at('expirationSeconds');
    if (seen.has(audience)) {
      request.at('audience').duplicate(audience);
      continue;
    }
    seen.add(audience);
    if (seconds.value === undefined) continue;
    if (seconds.value < minSeconds) seconds.invalid('may not specify a duration less than 10 minutes');
    if (seconds.value > maxSeconds) seconds.invalid('may not specify a duration larger than 2^32 seconds');
  }
}

function specOf(spec: Field<CSIDriverSpec>): void {
  // The name in the path is upstream's.
  if (!spec.at('attachRequired').isSet) spec.at('attachRequired').named(spec, 'attachedRequired').required();
  for (const name of ['podInfoOnMount', 'storageCapacity'] as const) if (!spec.at(name).isSet) spec.at(name).required();
  const policy = spec.at('fsGroupPolicy');
  if (policy.isSet && !groupPolicies.includes(policy.value ?? '')) policy.notSupported(groupPolicies);
  tokens(spec.at('tokenRequests'));
  const modes = spec.at('volumeLifecycleModes');
  for (const mode of modes.value ?? []) if (!lifecycles.includes(mode)) modes.notSupported(lifecycles, mode);
  if (!spec.at('seLinuxMount').isSet) spec.at('seLinuxMount').required();
  const period = spec.at('nodeAllocatableUpdatePeriodSeconds');
  if (period.isSet && (period.value ?? 0) < minPeriod) period.invalid('must be greater than or equal to 10 seconds');
  const inSecrets = spec.at('serviceAccountTokenInSecrets');
  if (inSecrets.isSet && spec.at('tokenRequests').isEmpty)
    inSecrets.invalid('serviceAccountTokenInSecrets is set but no tokenRequests are specified');
}

export const csiDriverRules: readonly Validate[] = [validate<CSIDriver>(driver => specOf(driver.at('spec')))];

export const csiDriverChangeRules: readonly Validate[] = [
  ...csiDriverRules,
  validateChange<CSIDriver>((driver, old) => {
    const spec = driver.at('spec');
    immutable(spec.at('attachRequired').named(spec, 'attachedRequired'), old.spec?.attachRequired);
    immutable(spec.at('volumeLifecycleModes'), old.spec?.volumeLifecycleModes);
  }),
];

/** Warns whenever the tokens change and their destination is unset. */
export const csiDriverWarnings = warnings<CSIDriver>((driver, warn, old) => {
  const { tokenRequests, serviceAccountTokenInSecrets } = driver.value?.spec ?? {};
  if (!tokenRequests?.length || serviceAccountTokenInSecrets !== undefined) return;
  if (old && semanticEqual(old.spec?.tokenRequests, tokenRequests)) return;
  warn(
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  );
});
