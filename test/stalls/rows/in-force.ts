/** Creates admission policies, and waits until they are in force. */
import { setTimeout } from 'node:timers/promises';
import type { Fixture } from '../row.js';
import { configMap, configMaps, object, post, remove } from './objects.js';

export const registration = '/apis/admissionregistration.k8s.io/v1';

const label = { matchLabels: { stalls: 'matched' } };
const allConfigMaps = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
};

/** Returns a ConfigMap that matches the policies of `withPolicy`. */
export const matchedConfigMap = (name: string, more: object = {}): object =>
  configMap(name, { metadata: { labels: { stalls: 'matched' } }, ...more });

async function createPolicy(fixture: Fixture, name: string, spec: object): Promise<boolean> {
  const constraints = { ...allConfigMaps, objectSelector: label };
  const policy = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', name, {
    spec: { matchConstraints: constraints, failurePolicy: 'Ignore', ...spec },
  });
  const { status } = await fixture.send(post(`${registration}/validatingadmissionpolicies`, policy));
  if (status !== 201) return false;
  const binding = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', name, {
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  await fixture.must(post(`${registration}/validatingadmissionpolicybindings`, binding));
  return true;
}

async function removePolicy(fixture: Fixture, name: string): Promise<void> {
  await fixture.must(remove(`${registration}/validatingadmissionpolicybindings/${name}`));
  await fixture.must(remove(`${registration}/validatingadmissionpolicies/${name}`));
}

/** Waits until a dry-run create of a ConfigMap of this name is refused. */
async function untilRefused(fixture: Fixture, name: string): Promise<void> {
  for (;;) {
    const { status } = await fixture.send(post(`${configMaps}?dryRun=All`, matchedConfigMap(name)));
    if (status !== 201) return;
    await setTimeout(5);
  }
}

/**
 * Plays with a ValidatingAdmissionPolicy that matches every `matchedConfigMap`. If the server refuses the policy, which is no fault, nothing is
 * played.
 */
export async function withPolicy(fixture: Fixture, spec: object, play: () => Promise<unknown>): Promise<void> {
  const name = fixture.name();
  if (!(await createPolicy(fixture, name, spec))) return;
  // Policies come into force in the order of their creation: once the second one is, the first one is, too.
  const mark = `${name}-mark`;
  await createPolicy(fixture, mark, { validations: [{ expression: `object.metadata.name != '${mark}'` }] });
  await untilRefused(fixture, mark);
  await play();
  await removePolicy(fixture, mark);
  await removePolicy(fixture, name);
}
