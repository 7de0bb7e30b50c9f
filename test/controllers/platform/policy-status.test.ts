import t from 'tap';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const policies = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' };

const policy = (expression: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression }],
  },
});

t.test('the status of a policy has the type warnings of its expressions after every change', async t => {
  const { client } = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  const status = async (): Promise<unknown> => (await client.get(policies, { name: 'p' })).status;
  const observed = async (generation: number): Promise<unknown> => {
    await until(`generation ${generation} to be looked at`, async () => {
      const { observedGeneration } = ((await status()) ?? {}) as { observedGeneration?: number };
      return observedGeneration === generation;
    });
    return status();
  };
  const made = await client.create(policies, policy("object.nope == 'x'"));
  t.match(await observed(1), {
    typeChecking: {
      expressionWarnings: [
        { fieldRef: 'spec.validations[0].expression', warning: /^v1, Kind=ConfigMap: |^\/v1, Kind=ConfigMap: / },
      ],
    },
  });
  await client.patch(
    policies,
    { name: 'p' },
    { type: 'merge', patch: { spec: policy("object.data['a'] == 'x'").spec } },
  );
  t.same(await observed((made.metadata.generation ?? 0) + 1), { observedGeneration: 2, typeChecking: {} });
});
