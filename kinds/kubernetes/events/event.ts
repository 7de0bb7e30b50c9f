import type { VersionDefinition } from '../../../registry/interface.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import { newEventChangeRules, newEventRules } from '../core/event-rules.js';
import { convertEvent } from './convert-event.js';
import { event as coreEvent } from '../core/event.js';
import type { NativeKind } from '../native-kind.js';

/** Field name in this group -> name in the core group, which the stored objects have. */
const coreNames: Readonly<Record<string, string>> = {
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
  reportingController: 'reportingComponent',
  reason: 'reason',
  type: 'type',
};

function renamed(fields: VersionDefinition['selectableFields']): VersionDefinition['selectableFields'] {
  const out: Record<string, (typeof fields)[string]> = {};
  for (const [name, coreName] of Object.entries(coreNames)) {
    const value = fields[coreName];
    if (value) out[name] = value;
  }
  return out;
}

/** The Event of events.k8s.io: the objects are those of the core group, with other names of some fields. */
export const event: NativeKind = {
  ...coreEvent,
  group: 'events.k8s.io',
  selectableFields: renamed(coreEvent.selectableFields ?? {}),
  convert: convertEvent,
  strategy: strategy({
    createOnUpdate: true,
    defaultPropagation: 'Unsupported',
    validateCreate: newEventRules,
    validateUpdate: newEventChangeRules,
    metadataLast: true,
    metadataRepeats: [],
  }),
};
