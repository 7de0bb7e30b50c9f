import type { Client } from '../../client/interface.js';
import type { Pod } from '../../api/kubernetes/core.js';
import type { PriorityClass } from '../../api/kubernetes/scheduling.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { findRecent, listRecent } from '../../client/recent.js';
import { priorityClasses } from '../../api/kubernetes/resources.js';

/** Sets the priority of pods from their PriorityClass, and allows only one default class. */
// as plugin/pkg/admission/priority
export function priority({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'Priority',
    resources: ['pods', 'priorityclasses.scheduling.k8s.io'],
    async mutate(request) {
      const { definition, operation, subresource } = request;
      if (definition.plural !== 'pods' || subresource !== '') return;
      if (operation === 'CREATE') await resolve(client, request);
      if (operation === 'UPDATE') keepAdmittedFields(request.object as Pod, request.old as Pod);
    },
    async validate(request) {
      const { definition, operation, subresource, object } = request;
      if (definition.plural === 'pods' || subresource !== '' || operation === 'DELETE') return;
      if (!(object as PriorityClass).globalDefault) return;
      const name = (await defaultOf(client))?.metadata.name;
      if (name !== undefined && (operation === 'CREATE' || name !== object?.metadata.name))
        throw deny(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
    },
  };
}

/** Keeps the fields that admission has set if an update leaves them out. */
function keepAdmittedFields({ spec: draft }: Pod, { spec: old }: Pod): void {
  if (!draft || !old) return;
  if (draft.priority === undefined && old.priority !== undefined) draft.priority = old.priority;
  if (draft.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    draft.preemptionPolicy = old.preemptionPolicy;
}

async function resolve(client: Client, request: AdmissionRequest): Promise<void> {
  const { spec } = request.object as Pod;
  if (!spec) return;
  const chosen = spec.priorityClassName
    ? await named(client, request, spec.priorityClassName)
    : await defaultOf(client);
  const { value = 0, preemptionPolicy = chosen ? undefined : 'PreemptLowerPriority' } = chosen ?? {};
  if (spec.priority !== undefined && spec.priority !== value) {
    const texts = [
      `the integer value of priority (${spec.priority}) must not be provided in pod spec`,
      `priority admission controller computed ${value} from the given PriorityClass name`,
    ];
    throw deny(request, texts.join('; '));
  }
  const name = chosen?.metadata.name;
  if (name !== undefined) spec.priorityClassName = name;
  spec.priority = value;
  if (preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const texts = [
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec`,
      `priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    ];
    throw deny(request, texts.join('; '));
  }
  spec.preemptionPolicy = preemptionPolicy;
}

async function named(client: Client, request: AdmissionRequest, name: string): Promise<PriorityClass> {
  const found = await findRecent(client, priorityClasses, { name });
  if (!found) throw deny(request, `no PriorityClass with name ${name} was found`);
  return found;
}

/** Returns the default class; if several are marked, the one with the lowest value. */
async function defaultOf(client: Client): Promise<PriorityClass | undefined> {
  const marked = ((await listRecent(client, priorityClasses)) as readonly PriorityClass[]).filter(
    each => each.globalDefault,
  );
  return marked.reduce<PriorityClass | undefined>(
    (lowest, each) => (lowest && (lowest.value ?? 0) <= (each.value ?? 0) ? lowest : each),
    undefined,
  );
}
