import type { KubeObject } from '../../openapi/interface.js';
import { type JsonPatchOp, applyJsonPatch } from '../../openapi/patch/json-patch.js';
import { applyMergePatch } from '../../openapi/patch/merge-patch.js';
import { strategicMergePatch } from '../../openapi/patch/strategic.js';
import { conflict, methodNotAllowed, notFound } from '../../openapi/meta/status.js';
import { cloneJson } from '../../openapi/meta/clone.js';
import type { Patch } from '../interface.js';
import { type Parts, resourceOf } from './context.js';
import { completeDraft } from './decode.js';
import type { Call, FieldValidation, WriteParameters } from './interface.js';
import { type Modified, modify } from './modify.js';
import { ownUpdate } from './ownership.js';

/** PATCH (PAT-001 to PAT-064). */
export function patch(
  parts: Parts,
  call: Call,
  name: string,
  body: Patch,
  write: WriteParameters & { readonly fieldValidation: FieldValidation },
): Promise<Modified> {
  const change = {
    creates: body.type === 'apply',
    build(live: KubeObject | undefined): KubeObject {
      if (body.type === 'apply') throw methodNotAllowed();
      if (!live) throw notFound(resourceOf(call), name);
      const draft = completeDraft(call, cloneJson(patched(call, live, body)));
      return ownUpdate(parts, call, live, draft);
    },
  };
  return modify(parts, call, name, change, write);
}

function patched(call: Call, live: KubeObject, body: Exclude<Patch, { type: 'apply' }>): KubeObject {
  switch (body.type) {
    case 'json':
      return applyJsonPatch(live, body.patch as readonly JsonPatchOp[]) as KubeObject;
    case 'merge':
      return applyMergePatch(live, body.patch) as KubeObject;
    case 'strategic':
      return strategicMergePatch(live, body.patch, call.version.schema) as KubeObject;
  }
}

export const uidMismatch = (call: Call, name: string, uid: string): Error =>
  conflict(
    resourceOf(call),
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
