import { connectionHeaders, fieldName, invalidFieldValue } from '../../../../lib/http2/field-rules.js';
import type { PoolRequest } from '../pool.js';
import { TransportError } from '../transport-error.js';

/** Matches characters that a path cannot hold. as undici invalidPathRegex */
const invalidPath = /[^\x21-\xff]/;

function add(fields: string[], given: string, value: string): void {
  const name = given.toLowerCase();
  if (!fieldName.test(name) || invalidFieldValue.test(value))
    throw new TransportError('UND_ERR_INVALID_ARG', `invalid ${given} header`);
  if (name !== 'host' && !connectionHeaders.has(name)) fields.push(name, value);
}

/** hot: returns the fields of a request: name in lower case, value, name, value. Throws when one is invalid, or the path. */
export function requestFields({ path, headers, body }: PoolRequest): string[] {
  if (invalidPath.test(path)) throw new TransportError('UND_ERR_INVALID_ARG', 'invalid request path');
  const fields: string[] = [];
  let hasLength = false;
  if (Array.isArray(headers)) {
    for (let i = 0; i + 1 < headers.length; i += 2) {
      hasLength ||= (headers[i] as string).toLowerCase() === 'content-length';
      add(fields, headers[i] as string, headers[i + 1] as string);
    }
  } else {
    const values = headers as Exclude<PoolRequest['headers'], readonly string[]>;
    for (const name in values) {
      const value = values[name];
      if (typeof value === 'string') add(fields, name, value);
      else for (const one of value ?? []) add(fields, name, one);
    }
  }
  if (!hasLength && body instanceof Uint8Array) fields.push('content-length', String(body.length));
  return fields;
}
