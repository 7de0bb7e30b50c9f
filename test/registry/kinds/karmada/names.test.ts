import t from 'tap';
import * as names from '../../../../registry/kinds/karmada/names.js';
import { golden } from '../../../data.js';

interface Input {
  namespace: string;
  name: string;
  kind: string;
  cluster: string;
}

t.test('derived names are those of Karmada', async t => {
  for (const { name, input, output } of golden<Input, Record<string, string>>('names').cases) {
    const account = names.memberServiceAccountName(input.cluster);
    t.same(
      {
        binding: names.bindingName(input.kind, input.name),
        bindingReferenceKey: names.bindingReferenceKey(input.namespace, input.name),
        derivedService: names.derivedServiceName(input.name),
        endpointSlice: names.importedEndpointSliceName(input.cluster, input.name),
        estimatorService: names.estimatorServiceName(input.cluster),
        executionSpace: names.executionNamespace(input.cluster),
        impersonationSecret: names.impersonationSecretName(input.cluster),
        policy: names.policyName(input.namespace, input.name, `apps/v1, Kind=${input.kind}`),
        role: names.memberRoleName(account),
        serviceAccount: account,
        work: names.workName(input.kind, input.name, input.namespace),
      },
      output,
      name,
    );
  }
});
