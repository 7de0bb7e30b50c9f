import type { Attributes } from '../../authn/interface.js';
import { goQuote } from '../../openapi/meta/go-text.js';
import type { Identity } from '../../registry/interface.js';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What a user may not do. as apiserver/pkg/endpoints/handlers/responsewriters/errors.go forbiddenMessage */
export function forbiddenText(user: Identity, attributes: Attributes): string {
  const who = `User ${goQuote(user.name)}`;
  let text: string;
  if (attributes.type === 'path') text = `${who} cannot ${attributes.verb} path ${goQuote(attributes.path)}`;
  else {
    const { verb, resource, subresource, group, namespace } = attributes;
    const what = goQuote(subresource === '' ? resource : `${resource}/${subresource}`);
    const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
    text = `${who} cannot ${verb} resource ${what} in API group ${goQuote(group)} ${where}`;
  }
  return text.replace(/[&<>]/g, char => escapes[char] ?? char);
}
