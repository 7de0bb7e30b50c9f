import type { KubeObject } from '../../../../apimachinery/interface.js';
import { notSupported, required } from '../../../../apimachinery/errors/faults.js';
import { goQuote } from '../../../../lib/go/go-text.js';
import {
  badRequest,
  conflict,
  faultsText,
  plainError,
  uidPreconditionText,
} from '../../../../apimachinery/errors/status.js';
import type { ActionCall, Subresource } from '../../../../registry/interface.js';
import { keepAllBut } from '../../../../registry/strategy/parts.js';
import { actionDone } from './action.js';
import type { Binding, Pod } from '../../../../api/kubernetes/core.js';
import { changePod } from './pod-change.js';
import { setPodCondition } from './pod-conditions.js';

/** as pkg/apis/core/validation ValidatePodBinding */
function checkTarget({ target }: Binding): void {
  const { kind = '', name = '' } = target ?? {};
  const faults = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name', '')] : []),
  ];
  if (faults.length > 0) throw plainError(faultsText(faults));
}

/** Fields of the pod that a binding repeats must be equal. */
function checkPreconditions(pod: Pod, { metadata }: Binding): void {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = pod.metadata;
  const refuse = (text: string): never => {
    throw conflict({ group: '', resource: 'pods' }, name, text);
  };
  const key = `/registry/pods/${namespace}/${name}`;
  if (metadata.uid && metadata.uid !== uid) refuse(uidPreconditionText(key, metadata.uid, uid));
  if (metadata.resourceVersion && metadata.resourceVersion !== resourceVersion) {
    const text = `Precondition failed: ResourceVersion in precondition: ${metadata.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    refuse(`StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${text}`);
  }
}

/** Returns why a pod can no longer be assigned to a node. */
function refusal({ metadata, spec }: Pod): string | undefined {
  const name = metadata.name ?? '';
  if (metadata.deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node ${goQuote(spec.nodeName)}`;
  if (spec?.schedulingGates?.length) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function assign(pod: Pod, { metadata: { annotations, labels }, target }: Binding): void {
  pod.spec = { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: target?.name ?? '' };
  delete pod.status?.nominatedNodeName;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, new Date());
}

/** Assigns the pod of that name to its node, once. */
export async function bindPod(call: ActionCall, name: string, body: KubeObject): Promise<KubeObject> {
  const binding = body as Binding;
  if (binding.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
  checkTarget(binding);
  await changePod(call, name, 'binding', pod => {
    checkPreconditions(pod, binding);
    const text = refusal(pod);
    if (text !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, name, text);
    assign(pod, binding);
  });
  return actionDone();
}

/** as pkg/registry/core/pod/storage BindingREST */
export const podBinding: Subresource = {
  type: 'action',
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding' },
  act: bindPod,
  rules: { prepareUpdate: [keepAllBut('spec', 'status')], validateUpdate: [], resetFields: [] },
};
