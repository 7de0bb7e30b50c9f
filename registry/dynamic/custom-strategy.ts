/** The strategy of custom resources, from their definition. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { forbidden } from '../../apimachinery/errors/status.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Prepare, Strategy, StrategyContext } from '../interface.js';
import { bumpGenerationAfter, jsonChanged, startGeneration } from '../strategy/generation.js';
import { dropStatus, keepAllButStatus, keepMetadata, keepStatus, statusPart } from '../strategy/parts.js';
import { strategy } from '../strategy/strategy.js';
import type { Spec } from './crd.js';
import { floatsOf, hasStatus, objectRules, statusRules, type VersionLookup } from './custom-rules.js';

/** Returns the strategy of a definition. `isTerminating` reports whether the definition is being deleted at the time of a request. */
export function customStrategy(spec: Spec, versionFor: VersionLookup, isTerminating: () => boolean): Strategy {
  const withStatus = ifStatus(spec);
  return strategy({
    plainFinalizers: 'warn',
    unconditionalUpdate: false,
    prepareCreate: [refuseNew(spec, isTerminating), withStatus(dropStatus), startGeneration],
    prepareUpdate: [withStatus(keepStatus), bumpGenerationAfter(contentChanged(versionFor))],
    validateLong: objectRules(spec, versionFor),
  });
}

/** Returns a function that limits a rule to requests in versions with the status subresource. */
function ifStatus({ versions }: Spec): (rule: Prepare) => Prepare {
  const names = new Set(versions.filter(hasStatus).map(version => version.name));
  return rule => (draft, old, context: StrategyContext) => {
    return names.has(context.version) ? rule(draft, old, context) : undefined;
  };
}

/** Detects integral floats, which Go distinguishes from the stored integers. as apimachinery/third_party/forked/golang/reflect DeepEqual */
const floatsWritten = (versionFor: VersionLookup, context: StrategyContext): boolean =>
  floatsOf(versionFor(context.version), context).some(([field]) => field !== 'metadata');

const contentChanged = (versionFor: VersionLookup) =>
  function* (draft: KubeObject, old: KubeObject, context: StrategyContext): InSteps<boolean> {
    return (yield* jsonChanged(draft, old)) || floatsWritten(versionFor, context);
  };

/** Returns the rules of `/status`, which ignores the other fields of the request, even metadata. */
export function customStatusPart(versionFor: VersionLookup): ReturnType<typeof statusPart> {
  return statusPart({
    prepareUpdate: [keepMetadata, keepAllButStatus],
    validateLong: statusRules(versionFor),
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
