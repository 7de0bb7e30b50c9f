import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Pause } from '../../apimachinery/patch/versions.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import { checkName, settleNamespace } from './conform.js';
import type { Parts } from './context.js';
import { completeDraft } from './decode.js';
import type { RequestScope, WriteParameters } from './interface.js';
import { type Modified, isActions, modify } from './modify.js';
import { ownUpdate } from './ownership.js';

/** Replaces an object. `object` is decoded, of the call's version, and belongs to the pipeline from now on. */
export function update(
  parts: Parts,
  call: RequestScope,
  name: string,
  object: KubeObject,
  write: WriteParameters,
): Promise<Modified> {
  const { metadata } = object;
  settleNamespace(call, metadata);
  checkName(metadata, name);
  const twice = dedupOwners(object);
  if (twice !== '') call.warn(ownersWarning(twice));
  const complete = completeDraft(call, object);
  const draftOf = (): KubeObject => {
    const draft = cloneJson(complete);
    if (write.standingSpec !== undefined) draft['spec'] = write.standingSpec;
    return draft;
  };
  const change = {
    creates: false,
    uid: metadata.uid || undefined,
    build(live: KubeObject | undefined, pause?: Pause): Maybe<KubeObject> {
      const draft = draftOf();
      if (isActions(call)) return draft;
      const own = (): Maybe<KubeObject> => ownUpdate(parts, call, live, draft, pause);
      return pause ? pause().then(own) : own();
    },
  };
  return modify(parts, call, name, change, write);
}
