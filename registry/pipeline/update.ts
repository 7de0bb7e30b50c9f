import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneSteps } from '../../lib/json/clone-steps.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import type { Pause } from '../../apimachinery/patch/patch-steps.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import { checkName, settleNamespace } from './conform.js';
import type { PipelineDeps } from './context.js';
import { completeDraft } from './decode.js';
import type { RequestScope, WriteParameters } from './interface.js';
import { type Modified, isActionWrite, modify } from './modify.js';
import { ownUpdate } from './ownership.js';
import { stepsOf } from './pause.js';

/** Replaces an object. `object` is decoded and in the requested version; the caller must not use it afterwards. */
export function update(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  object: KubeObject,
  write: WriteParameters,
): Promise<Modified> {
  const { metadata } = object;
  settleNamespace(call, metadata);
  checkName(metadata, name);
  const duplicates = dedupOwners(object);
  if (duplicates !== '') call.warn(ownersWarning(duplicates));
  const completing = completeDraft(call, object);
  return completing instanceof Promise
    ? completing.then(complete => replace(deps, call, name, complete, write))
    : replace(deps, call, name, completing, write);
}

/** Replaces an object by one with defaults. */
function replace(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  complete: KubeObject,
  write: WriteParameters,
): Promise<Modified> {
  const change = {
    creates: false,
    uid: complete.metadata.uid || undefined,
    build(live: KubeObject | undefined, pause?: Pause): Maybe<KubeObject> {
      return andThen(stepsOf(call, cloneSteps(complete)), draft => {
        if (write.unchangedSpec !== undefined) draft['spec'] = write.unchangedSpec;
        if (isActionWrite(call)) return draft;
        const track = (): Maybe<KubeObject> => ownUpdate(deps, call, live, draft, pause);
        return pause ? pause().then(track) : track();
      });
    },
  };
  return modify(deps, call, name, change, write);
}
