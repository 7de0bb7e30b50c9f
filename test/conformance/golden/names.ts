import * as names from '../../../api/karmada/names.js';
import { check } from './check.js';

interface Input {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly cluster: string;
}

export const derivedNames = check<Input, Record<string, string>>({
  area: 'names',
  part: 'derived names',
  compare({ namespace, name, kind, cluster }, want) {
    const account = names.memberServiceAccountName(cluster);
    const got = {
      binding: names.bindingName(kind, name),
      bindingReferenceKey: names.bindingReferenceKey(namespace, name),
      derivedService: names.derivedServiceName(name),
      endpointSlice: names.importedEndpointSliceName(cluster, name),
      estimatorService: names.estimatorServiceName(cluster),
      executionSpace: names.executionNamespace(cluster),
      impersonationSecret: names.impersonationSecretName(cluster),
      policy: names.policyName(namespace, name, `apps/v1, Kind=${kind}`),
      role: names.memberRoleName(account),
      serviceAccount: account,
      work: names.workName(kind, name, namespace),
    };
    return { want, got };
  },
});
