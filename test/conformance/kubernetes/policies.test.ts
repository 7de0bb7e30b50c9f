/** Admission policies for Deployments. as test/e2e/apimachinery validatingadmissionpolicy.go, mutatingadmissionpolicy.go */
import t from 'tap';
import { until } from '../../storage/until.js';
import { codeOf, kit, refusal, type Thing, unique } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);

const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
});
const workload = (name: string, replicas: number) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name) },
});

interface Fixture {
  readonly namespace: string;
  readonly deploy: (name: string, replicas: number) => Promise<Thing>;
}

/** Creates a policy for the Deployments of a new namespace. */
async function fixture(kind: 'validating' | 'mutating', spec: (namespace: string) => object): Promise<Fixture> {
  const name = unique('policy');
  const namespace = await all.namespace();
  const of = (plural: string) => all.of(`admissionregistration.k8s.io/v1/${kind}admissionpolic${plural}`);
  await all.of('v1/namespaces').patch(namespace, { metadata: { labels: { [name]: 'true' } } });
  const namespaceSelector = { matchLabels: { [name]: 'true' } };
  const rule = {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    resources: ['deployments'],
    operations: ['CREATE', 'UPDATE'],
  };
  await of('ies').create({
    metadata: { name: `${name}.example.com` },
    spec: { failurePolicy: 'Fail', matchConstraints: { namespaceSelector, resourceRules: [rule] }, ...spec(namespace) },
  });
  await of('ybindings').create({
    metadata: { name: `${name}.binding.example.com` },
    spec: {
      policyName: `${name}.example.com`,
      matchResources: { namespaceSelector },
      ...(kind === 'validating' ? { validationActions: ['Deny'] } : {}),
    },
  });
  const deployments = all.of('apps/v1/deployments', namespace);
  return { namespace, deploy: (name, replicas) => deployments.create(workload(name, replicas)) };
}

/** Waits until the policy is active and denies a marker object. Marker objects that were created before are deleted. */
async function denied({ namespace, deploy }: Fixture): Promise<string> {
  let text = '';
  await until('the marker to be denied', async () => {
    try {
      await deploy('marker', 1);
      await all.of('apps/v1/deployments', namespace).remove('marker');
      return false;
    } catch (error) {
      text = (error as Error).message;
      return true;
    }
  });
  return text;
}

const rules = {
  'a policy validates Deployments': {
    spec: (namespace: string) => ({
      validations: [
        {
          expression: 'object.spec.replicas > 1',
          messageExpression: "'wants replicas > 1, got ' + string(object.spec.replicas)",
        },
        { expression: `namespaceObject.metadata.name == '${namespace}'`, message: 'another namespace' },
      ],
    }),
    allowed: 2,
    message: /wants replicas > 1, got 1$/,
  },
  'its expressions use variables': {
    spec: () => ({
      variables: [
        { name: 'replicas', expression: 'object.spec.replicas' },
        { name: 'oddReplicas', expression: 'variables.replicas % 2 == 1' },
      ],
      validations: [{ expression: 'variables.replicas > 1' }, { expression: 'variables.oddReplicas' }],
    }),
    allowed: 3,
    message: /failed expression: variables\.replicas > 1$/,
  },
};

for (const [name, { spec, allowed, message }] of Object.entries(rules))
  t.test(`${name}`, async t => {
    const here = await fixture('validating', spec);
    t.match(await denied(here), message);
    t.match(await refusal(here.deploy('again', 1)), { code: 422, reason: 'Invalid' });
    t.match(await here.deploy('replicated', allowed), { spec: { replicas: allowed } });
    const sets = all.of('apps/v1/replicasets', here.namespace);
    t.match(await sets.create(workload('not-replicated', 1)), { spec: { replicas: 1 } }, 'other kinds are not changed');
    const elsewhere = all.of('apps/v1/deployments', await all.namespace());
    t.match(
      await elsewhere.create(workload('elsewhere', 1)),
      { spec: { replicas: 1 } },
      'other namespaces are not changed',
    );
    if (allowed === 3) t.equal(await codeOf(here.deploy('even', 4)), 422);
  });

const changes = {
  'a policy changes the replicas of Deployments': {
    expression: 'Object{spec: Object.spec{replicas: 1337}}',
    expected: { spec: { replicas: 1337 } },
  },
  'a policy annotates Deployments': {
    expression: 'Object{metadata: Object.metadata{annotations: {"mutated-by": "admission-policy"}}}',
    expected: { metadata: { annotations: { 'mutated-by': 'admission-policy' } }, spec: { replicas: 1 } },
  },
};

for (const [name, { expression, expected }] of Object.entries(changes))
  t.test(`${name}`, async t => {
    const here = await fixture('mutating', () => ({
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    }));
    let made: Thing | undefined;
    await until('the marker to be changed', async () => {
      made = await here.deploy(unique('marker'), 1);
      return made.metadata.annotations !== undefined || (made['spec'] as { replicas: number }).replicas !== 1;
    });
    t.match(made, expected);
  });
