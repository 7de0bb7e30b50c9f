/** Waits until admission policies and webhooks that were created are asked. */
import { setTimeout } from 'node:timers/promises';
import type { Scene } from '../row.js';
import { configMap, configMaps, object, post, remove } from './objects.js';

export const registration = '/apis/admissionregistration.k8s.io/v1';

const label = { matchLabels: { stalls: 'judged' } };
const allConfigMaps = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
};

/** A ConfigMap that the policies of `withPolicy` judge. */
export const judged = (name: string, more: object = {}): object =>
  configMap(name, { metadata: { labels: { stalls: 'judged' } }, ...more });

async function createPolicy(scene: Scene, name: string, spec: object): Promise<boolean> {
  const constraints = { ...allConfigMaps, objectSelector: label };
  const policy = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', name, {
    spec: { matchConstraints: constraints, failurePolicy: 'Ignore', ...spec },
  });
  const { status } = await scene.send(post(`${registration}/validatingadmissionpolicies`, policy));
  if (status !== 201) return false;
  const binding = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', name, {
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  await scene.must(post(`${registration}/validatingadmissionpolicybindings`, binding));
  return true;
}

async function removePolicy(scene: Scene, name: string): Promise<void> {
  await scene.must(remove(`${registration}/validatingadmissionpolicybindings/${name}`));
  await scene.must(remove(`${registration}/validatingadmissionpolicies/${name}`));
}

/** Until a ConfigMap of this name is refused, which is tried without creating it. */
async function refused(scene: Scene, name: string): Promise<void> {
  for (;;) {
    const { status } = await scene.send(post(`${configMaps}?dryRun=All`, judged(name)));
    if (status !== 201) return;
    await setTimeout(5);
  }
}

/**
 * Plays with a ValidatingAdmissionPolicy that judges every `judged` ConfigMap. A policy that the server does not take is no fault: then the play
 * is over.
 */
export async function withPolicy(scene: Scene, spec: object, play: () => Promise<unknown>): Promise<void> {
  const name = scene.name();
  if (!(await createPolicy(scene, name, spec))) return;
  // What came after it is in force: so is it.
  const mark = `${name}-mark`;
  await createPolicy(scene, mark, { validations: [{ expression: `object.metadata.name != '${mark}'` }] });
  await refused(scene, mark);
  await play();
  await removePolicy(scene, mark);
  await removePolicy(scene, name);
}
