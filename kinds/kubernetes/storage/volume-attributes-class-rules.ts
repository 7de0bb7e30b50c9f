// as pkg/apis/storage/validation ValidateVolumeAttributesClass, ValidateVolumeAttributesClassUpdate
import { semanticEqual } from '../../../lib/json/equality.js';
import type { Validate } from '../../../registry/interface.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { VolumeAttributesClass } from '../../../api/kubernetes/storage.js';
import { parameters, provisioner } from './class-parameter-rules.js';

export const volumeAttributesClassRules: readonly Validate[] = [
  validate<VolumeAttributesClass>(attributes => {
    provisioner(attributes.at('driverName'));
    parameters(attributes.at('parameters'), false);
  }),
];

export const volumeAttributesClassChangeRules: readonly Validate[] = [
  validateChange<VolumeAttributesClass>((attributes, old) => {
    if (attributes.value?.driverName !== old.driverName)
      attributes.at('driverName').forbidden('updates to driverName are forbidden.');
    if (!semanticEqual(attributes.value?.parameters, old.parameters))
      attributes.at('parameters').forbidden('updates to parameters are forbidden.');
  }),
  ...volumeAttributesClassRules,
];
