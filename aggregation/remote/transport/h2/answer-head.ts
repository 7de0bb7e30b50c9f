import type { IncomingHttpHeaders } from 'node:http';
import { connectionHeaders, fieldName } from '../../../../lib/http2/field-rules.js';
import type { HeaderField } from '../../../../lib/http2/hpack.js';

interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The Content-Length. */
  readonly length: number | undefined;
}

/** Characters that would begin another header in HTTP/1.1. */
const invalidValue = /[\0\r\n]/;
const statusCode = /^[1-9]\d\d$/;
const digits = /^\d{1,15}$/;
/** Fields of one answer. A repeated one costs the server a single byte, so the limit on bytes does not bound them. */
const maxFields = 256;

/** hot: returns the head of an answer; undefined when it is malformed (RFC 9113, section 8.3.2). Repeated headers become lists, as undici's. */
export function answerHead(fields: readonly HeaderField[]): AnswerHead | undefined {
  const [first] = fields;
  if (fields.length > maxFields || first?.name !== ':status' || !statusCode.test(first.value)) return undefined;
  // Without the properties of Object.prototype, so that it has only names that were sent.
  const headers = Object.create(null) as Record<string, string | string[] | undefined>;
  for (let i = 1; i < fields.length; i++) {
    const { name, value } = fields[i] as HeaderField;
    if (!fieldName.test(name) || invalidValue.test(value)) return undefined;
    if (connectionHeaders.has(name)) continue;
    const before = headers[name];
    if (Array.isArray(before)) before.push(value);
    else headers[name] = before === undefined ? value : [before, value];
  }
  const { 'content-length': length } = headers;
  if (length === undefined) return { status: Number(first.value), headers, length: undefined };
  if (typeof length !== 'string' || !digits.test(length)) return undefined;
  return { status: Number(first.value), headers, length: Number(length) };
}
