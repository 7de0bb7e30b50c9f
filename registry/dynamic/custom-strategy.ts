/** The rules of custom resources, from the version of their definition that is stored. */
import { forbidden } from '../../openapi/meta/status.js';
import type { Prepare, Strategy } from '../interface.js';
import { customWithStatus, customWithoutStatus } from '../strategy/kinds.js';
import { keepAllButStatus, keepMetadata, statusPart } from '../strategy/parts.js';
import { strategy } from '../strategy/strategy.js';
import type { Spec, Version } from './crd.js';
import { schemaRule, statusRule } from './custom-rules.js';

/** `version`: the one that is stored. `isTerminating`: is the definition being deleted, at the time of a request? */
export function customStrategy(spec: Spec, version: Version, isTerminating: () => boolean): Strategy {
  const rules = version.subresources?.status ? customWithStatus : customWithoutStatus;
  return strategy(rules, {
    plainFinalizers: 'warn',
    prepareCreate: [refuseNew(spec, isTerminating), ...rules.prepareCreate],
    validateCreate: [schemaRule(spec, version)],
    validateUpdate: [schemaRule(spec, version)],
  });
}

/** `/status`: nothing else is taken from what is sent, not even metadata (OBJ-016). */
export function customStatusPart(spec: Spec, version: Version): ReturnType<typeof statusPart> {
  return statusPart({
    prepareUpdate: [keepMetadata, keepAllButStatus],
    validateUpdate: [statusRule(spec, version)],
    resetFields: ['spec', 'metadata'],
  });
}

/** CRD-060. */
function refuseNew({ group, names }: Spec, isTerminating: () => boolean): Prepare {
  return draft => {
    if (!isTerminating()) return;
    const text = 'create not allowed while custom resource definition is terminating';
    throw forbidden({ group, resource: names.plural }, draft.metadata.name ?? '', text);
  };
}
