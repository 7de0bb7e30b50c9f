import type { KubeObject } from '../../../openapi/interface.js';
import { cloneJson } from '../../../openapi/meta/clone.js';
import { invalidValue, notSupported, required } from '../../../openapi/meta/faults.js';
import { goQuote } from '../../../openapi/meta/go-text.js';
import { conflict, invalid, isConflict } from '../../../openapi/meta/status.js';
import { formatTime } from '../../../openapi/meta/time.js';
import type { ActionCall, Subresource } from '../../interface.js';
import { keepAllBut } from '../../strategy/parts.js';
import type { Binding, Pod, PodCondition } from '../types/core.js';

const pods = { group: '', version: 'v1', resource: 'pods' } as const;
const group = { group: '', resource: 'pods/binding' } as const;
const attempts = 5;

function checkTarget({ metadata, target }: Binding): void {
  const { kind = '', name = '' } = target ?? {};
  const faults = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
    ...(/^(\.|\.\.)$|[/%]/.test(name) ? [invalidValue('target.name', name, 'may not be used as a name')] : []),
  ];
  if (faults.length > 0) throw invalid({ group: '', kind: 'Binding' }, metadata.name ?? '', faults);
}

/** Why a Pod cannot be given a node any more. */
function refusal(name: string, { metadata, spec }: Pod): string | undefined {
  if (metadata.deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node ${goQuote(spec.nodeName)}`;
  if (spec?.schedulingGates?.length) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function assign(pod: Pod, node: string, { annotations, labels }: KubeObject['metadata']): void {
  pod.spec = { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: node };
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  const scheduled: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(new Date()) };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  pod.status = { ...pod.status, conditions: [...others, scheduled] };
}

async function bind(call: ActionCall, name: string, body: KubeObject): Promise<KubeObject> {
  const binding = body as Binding;
  checkTarget(binding);
  const key = { namespace: call.namespace, name };
  const { uid, resourceVersion } = binding.metadata;
  for (let attempt = 1; ; attempt++) {
    const known = await call.client.get(pods, key);
    if (uid && uid !== known.metadata.uid)
      throw conflict(
        group,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known.metadata.uid}`,
      );
    if (resourceVersion && resourceVersion !== known.metadata.resourceVersion)
      throw conflict(
        group,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${known.metadata.resourceVersion}`,
      );
    const text = refusal(name, known);
    if (text !== undefined) throw conflict(group, name, text);
    const pod = cloneJson(known) as Pod;
    assign(pod, binding.target?.name ?? '', binding.metadata);
    try {
      await call.client.update(pods, pod, { subresource: 'binding', dryRun: call.dryRun });
      return { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 };
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}

/** pods/binding: gives a Pod its node, once. as pkg/registry/core/pod/storage BindingREST */
export const podBinding: Subresource = {
  type: 'action',
  verbs: ['create'],
  kind: { group: '', version: 'v1', kind: 'Binding' },
  act: bind,
  rules: { prepareUpdate: [keepAllBut('spec', 'status')], validateUpdate: [], resetFields: [] },
};
