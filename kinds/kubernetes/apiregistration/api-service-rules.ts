// as kube-aggregator/pkg/apis/apiregistration/validation ValidateAPIService, ValidateAPIServiceStatusUpdate
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortNum,
} from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { validate } from '../../shared/rules/validate.js';
import type { APIService, APIServiceSpec } from '../../../api/kubernetes/apiregistration.js';
import { decodedLength } from '../core/config/config-map-rules.js';

const maxGroupPriority = 20_000;
const maxVersionPriority = 1000;

function between(field: Field<number>, max: number): void {
  const value = field.value ?? 0;
  if (value <= 0 || value > max) field.invalid(`must be positive and less than ${max}`, value);
}

function name(api: Field<APIService>): void {
  const { group = '', version = '' } = api.value?.spec ?? {};
  const field = api.at('metadata').at('name');
  const wanted = `${version}.${group}`;
  const given = field.value ?? '';
  if (given !== wanted && checkPathSegmentName(given).length === 0)
    field.invalid(`must be \`spec.version+"."+spec.group\`: "${wanted}"`, given);
}

function location(spec: Field<APIServiceSpec>): void {
  const [service, bundle, insecure] = [spec.at('service'), spec.at('caBundle'), spec.at('insecureSkipTLSVerify')];
  if (!service.isSet) {
    if (!bundle.isEmpty)
      bundle.invalid('local APIServices may not have a caBundle', `${decodedLength(bundle.value ?? '')} bytes`);
    if (insecure.value) insecure.invalid('local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  for (const part of [service.at('namespace'), service.at('name')]) if (part.isEmpty) part.required();
  const port = service.at('port');
  const wrong = checkPortNum(port.value ?? 0);
  if (wrong.length > 0) port.invalid(`port is not valid: ${wrong.join(', ')}`, port.value ?? 0);
  if (insecure.value && !bundle.isEmpty) insecure.invalid('may not be true if caBundle is present');
}

export const apiServiceRules: readonly Validate[] = [
  validate<APIService>(api => {
    const spec = api.at('spec');
    const [group, version] = [spec.at('group'), spec.at('version')];
    name(api);
    if (!group.isEmpty) group.check(checkDns1123Subdomain);
    else if (version.value !== 'v1') group.required('only v1 may have an empty group and it better be legacy kube');
    version.check(checkDns1035Label);
    between(spec.at('groupPriorityMinimum'), maxGroupPriority);
    between(spec.at('versionPriority'), maxVersionPriority);
    location(spec);
  }),
];

const statuses = ['True', 'False', 'Unknown'];

export const apiServiceStatusRules: readonly Validate[] = [
  validate<APIService>(api => {
    for (const condition of api.at('status').at('conditions').items()) {
      const status = condition.at('status');
      if (!statuses.includes(status.value ?? '')) status.notSupported(statuses);
    }
  }),
];
