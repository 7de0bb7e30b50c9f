import type { KubeObject } from '../../openapi/interface.js';
import { methodNotAllowed } from '../../openapi/meta/status.js';
import type { Subresource } from '../interface.js';
import type { Parts } from './context.js';
import type { Call, WriteParameters } from './interface.js';
import type { Modified } from './modify.js';

type Scale = Extract<Subresource, { type: 'scale' }>;

export async function scaleOf(_call: Call, _scale: Scale, _object: KubeObject): Promise<KubeObject> {
  throw methodNotAllowed();
}

export function updateScale(
  _parts: Parts,
  _call: Call,
  _name: string,
  _object: KubeObject,
  _write: WriteParameters,
): Promise<Modified> {
  throw methodNotAllowed();
}
