/** The rules of custom resources, from their definition. */
import { forbidden } from '../../apimachinery/errors/status.js';
import type { Prepare, Strategy, StrategyContext } from '../interface.js';
import { anyOf, bumpGenerationWhen, type Changed, jsonChangedExcept, startGeneration } from '../strategy/generation.js';
import { dropStatus, keepAllButStatus, keepMetadata, keepStatus, statusPart } from '../strategy/parts.js';
import { strategy } from '../strategy/strategy.js';
import type { Spec } from './crd.js';
import { floatsOf, hasStatus, type Judging, objectRules, statusRules } from './custom-rules.js';

/** `isTerminating`: is the definition being deleted, at the time of a request? */
export function customStrategy(spec: Spec, judging: Judging, isTerminating: () => boolean): Strategy {
  const withStatus = whereStatus(spec);
  return strategy({
    plainFinalizers: 'warn',
    unconditionalUpdate: false,
    prepareCreate: [refuseNew(spec, isTerminating), withStatus(dropStatus), startGeneration],
    prepareUpdate: [withStatus(keepStatus), bumpGenerationWhen(anyOf(jsonChangedExcept(), floatsWritten(judging)))],
    validateLong: objectRules(spec, judging),
  });
}

/** A rule for requests in a version with the status subresource. */
function whereStatus({ versions }: Spec): (rule: Prepare) => Prepare {
  const names = new Set(versions.filter(hasStatus).map(version => version.name));
  return rule => (draft, old, context: StrategyContext) => {
    if (names.has(context.version)) rule(draft, old, context);
  };
}

/** What stands there was read as an int: a float is something else to Go. as apimachinery/third_party/forked/golang/reflect DeepEqual */
const floatsWritten =
  (judging: Judging): Changed =>
  (_draft, _old, context) =>
    floatsOf(judging(context.version), context).some(([field]) => field !== 'metadata');

/** Returns the rules of `/status`: nothing else is taken from what is sent, not even metadata. */
export function customStatusPart(judging: Judging): ReturnType<typeof statusPart> {
  return statusPart({
    prepareUpdate: [keepMetadata, keepAllButStatus],
    validateLong: statusRules(judging),
    resetFields: ['spec', 'metadata'],
  });
}

/** Refuses new objects while the definition is terminating. */
function refuseNew({ group, names }: Spec, isTerminating: () => boolean): Prepare {
  return draft => {
    if (!isTerminating()) return;
    const text = 'create not allowed while custom resource definition is terminating';
    throw forbidden({ group, resource: names.plural }, draft.metadata.name ?? '', text);
  };
}
