import type { Status } from '../../apimachinery/interface.js';
import { plainError, StatusError } from '../../apimachinery/errors/status.js';
import { longestMessage } from './limits.js';

const cut = (text: string): string => (text.length > longestMessage ? `${text.slice(0, longestMessage)}...` : text);

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** A Status that another server sent; undefined when it is none. Its message is cut, its code is `code` when it names no error. */
export function receivedStatus(value: unknown, code: number): StatusError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const status = value as Partial<Status>;
  if (status.kind !== 'Status' || !isText(status.message) || !isText(status.reason)) return undefined;
  const { code: said, message = '' } = status;
  const isCode = Number.isInteger(said) && Number(said) >= 400 && Number(said) < 600;
  return new StatusError({ ...(status as Status), message: cut(message), code: isCode ? Number(said) : code });
}

/** What an answer that is no success says: its Status, or one with its text. */
export function receivedFailure(code: number, body: Buffer): StatusError {
  const text = body.toString('utf8');
  try {
    const status = receivedStatus(JSON.parse(text), code);
    if (status) return status;
  } catch {
    // Not JSON: proxies and routers answer in plain text, which is the message then.
  }
  return plainError(cut(text.trim()) || `the server answered with status ${code}`, code);
}
