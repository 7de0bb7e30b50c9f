import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Pause } from '../../apimachinery/patch/versions.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import { checkName, settleNamespace } from './conform.js';
import type { PipelineDeps } from './context.js';
import { completeDraft } from './decode.js';
import type { RequestScope, WriteParameters } from './interface.js';
import { type Modified, isActionWrite, modify } from './modify.js';
import { ownUpdate } from './ownership.js';

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
  const draftOf = (): KubeObject => {
    const draft = cloneJson(complete);
    if (write.unchangedSpec !== undefined) draft['spec'] = write.unchangedSpec;
    return draft;
  };
  const change = {
    creates: false,
    uid: complete.metadata.uid || undefined,
    build(live: KubeObject | undefined, pause?: Pause): Maybe<KubeObject> {
      const draft = draftOf();
      if (isActionWrite(call)) return draft;
      const track = (): Maybe<KubeObject> => ownUpdate(deps, call, live, draft, pause);
      return pause ? pause().then(track) : track();
    },
  };
  return modify(deps, call, name, change, write);
}
