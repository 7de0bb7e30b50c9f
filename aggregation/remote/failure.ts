import type { Status } from '../../apimachinery/interface.js';
import { plainError, StatusError } from '../../apimachinery/errors/status.js';
import { maxMessageLength } from './limits.js';

const cut = (text: string): string => (text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}...` : text);

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** Returns a Status of another server as an error; undefined when the value is none. Long messages are cut; `code` replaces a code that is no error. */
export function receivedStatus(value: unknown, code: number): StatusError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const status = value as Partial<Status>;
  if (status.kind !== 'Status' || !isText(status.message) || !isText(status.reason)) return undefined;
  const { code: received, message = '' } = status;
  const isCode = Number.isInteger(received) && Number(received) >= 400 && Number(received) < 600;
  return new StatusError({ ...(status as Status), message: cut(message), code: isCode ? Number(received) : code });
}

/**
 * Returns the error of a failed answer: its Status, or one with its text. It holds the seconds of a header Retry-After, which replace those of the
 * Status.
 */
export function receivedFailure(code: number, body: Buffer, retryAfterSeconds?: number): StatusError {
  const failure = failureIn(code, body);
  if (retryAfterSeconds === undefined) return failure;
  const { details } = failure.status;
  return new StatusError({ ...failure.status, details: { ...details, retryAfterSeconds } });
}

function failureIn(code: number, body: Buffer): StatusError {
  const text = body.toString('utf8');
  try {
    const status = receivedStatus(JSON.parse(text), code);
    if (status) return status;
  } catch {
    // Proxies and routers answer in plain text, which becomes the message.
  }
  // A path that an API server does not have. as apimachinery/pkg/api/errors NewGenericServerResponse
  if (code === 404) return plainError('the server could not find the requested resource', code);
  return plainError(cut(text.trim()) || `the server answered with status ${code}`, code);
}
