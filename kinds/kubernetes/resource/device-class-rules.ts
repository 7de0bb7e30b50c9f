// as pkg/apis/resource/validation ValidateDeviceClass
import { semanticEqual } from '../../../lib/json/equality.js';
import type { Validate } from '../../../registry/interface.js';
import { isExtendedResource } from '../../shared/rules/resource-names.js';
import { validate } from '../../shared/rules/validate.js';
import type { DeviceClass } from '../../../api/kubernetes/resource.js';
import { maxConfigs, selectors } from './device-claim-rules.js';
import { deviceConfiguration } from './device-config-rules.js';
import { eachOf } from './lists.js';

export const deviceClassRules: readonly Validate[] = [
  validate<DeviceClass>((object, old) => {
    const spec = object.at('spec');
    selectors(spec.at('selectors'));
    const stored = old !== undefined && semanticEqual(spec.value?.config, old.spec?.config);
    eachOf(spec.at('config'), maxConfigs, config => deviceConfiguration(config, stored));
    const resource = spec.at('extendedResourceName');
    if (resource.isSet && !isExtendedResource(resource.value ?? ''))
      resource.invalid('must be a valid extended resource name');
  }),
];
