import type { NativeSubresource } from '../../openapi/facts/resources.js';
import type { Subresource, Verb } from '../../registry/interface.js';
import { scalePart, statusPart } from '../../registry/strategy/parts.js';

/** Returns the form of a subresource that its kind does not describe: status, scale, or a path that is served elsewhere (`pods/exec`). */
export function defaultSubresource({ name, kind, verbs }: NativeSubresource): Subresource {
  switch (name) {
    case 'status':
      return statusPart();
    case 'scale':
      return scalePart();
    default:
      return { type: 'connect', verbs: verbs as readonly Verb[], kind };
  }
}
