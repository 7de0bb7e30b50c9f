// as pkg/apis/storage/validation ValidateCSIStorageCapacity, ValidateCSIStorageCapacityUpdate
import type { Validate } from '../../../registry/interface.js';
import { nodeLabelSelectorWarnings } from '../core/shared/node-label-warnings.js';
import { nonNegativeQuantity } from '../core/shared/resource-rules.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownSelector } from '../../shared/go-text/internal-json.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';
import { hasBadValues, labelSelector } from '../../shared/rules/selector-rules.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { CSIStorageCapacity } from '../../../api/kubernetes/storage.js';

export const csiStorageCapacityRules: readonly Validate[] = [
  validate<CSIStorageCapacity>((capacity, old) => {
    labelSelector(capacity.at('nodeTopology'), hasBadValues(old?.nodeTopology));
    dnsSubdomain(capacity.at('storageClassName'));
    nonNegativeQuantity(capacity.at('capacity'));
  }),
];

export const csiStorageCapacityChangeRules: readonly Validate[] = [
  ...csiStorageCapacityRules,
  validateChange<CSIStorageCapacity>((capacity, old) => {
    const topology = capacity.at('nodeTopology');
    immutable(topology, old.nodeTopology, () => shownSelector(topology.value));
    immutable(capacity.at('storageClassName'), old.storageClassName);
  }),
];

export const csiStorageCapacityWarnings = warnings<CSIStorageCapacity>((capacity, warn) => {
  nodeLabelSelectorWarnings(capacity.at('nodeTopology'), warn);
});
