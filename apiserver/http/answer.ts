import type { Status } from '../../apimachinery/interface.js';
import { jsonText } from '../../lib/json/json.js';
import { serviceUnavailable, StatusError, statusOf } from '../../apimachinery/errors/status.js';
import { type Format, mediaTypes, negotiate, wantsPretty } from '../negotiate/accept.js';
import { asIs } from '../negotiate/endpoints.js';
import { encodeProtobuf } from '../negotiate/protobuf/envelope.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import type { ResponseHeaders } from '../interface.js';
import type { Request } from './request.js';

/** An answer in plain text, to be thrown. kube-apiserver answers with text instead of a Status where no API type is involved. */
export class TextAnswer extends Error {
  readonly code: number;
  readonly headers: ResponseHeaders | undefined;
  constructor(code: number, text: string, headers?: ResponseHeaders) {
    super(text);
    this.name = 'TextAnswer';
    this.code = code;
    this.headers = headers;
  }
}

/** Returns the answer to a path that no API serves. */
export const pageNotFound = (): TextAnswer => new TextAnswer(404, '404 page not found');

/** Returns 503: until all kinds are served no client may conclude that one does not exist. */
export function notYetFound(): StatusError {
  const error = serviceUnavailable(
    'the request has been made before all known HTTP paths have been installed, please try again',
  );
  error.status.details = { retryAfterSeconds: 5 };
  return error;
}

/** Answers a request, and counts the answer. All complete bodies are sent by this function. */
export function answer(
  request: Request,
  code: number,
  type: string | undefined,
  body: Buffer | undefined,
  extraHeaders?: ResponseHeaders,
): void {
  if (request.exchange.answered) return;
  const headers = request.answerHeaders();
  if (type !== undefined) headers['content-type'] = type;
  if (extraHeaders) Object.assign(headers, extraHeaders);
  request.exchange.respond(code, headers, body);
  request.done(code, body?.length ?? 0);
}

/** Answers with a plain text, which browsers must not take for HTML. */
export function answerText(request: Request, code: number, text: string, extraHeaders?: ResponseHeaders): void {
  const headers = { 'x-content-type-options': 'nosniff', ...extraHeaders };
  answer(request, code, 'text/plain; charset=utf-8', Buffer.from(text), headers);
}

/** Answers with a small or rare value, in the format that the client accepts. Large and frequent ones are written from stored bytes. */
export function answerValue(request: Request, code: number, value: object, extraHeaders?: ResponseHeaders): void {
  request.audit?.responseObject(jsonText(value));
  const pretty = wantsPretty(request.query.get('pretty'), request.header('user-agent'));
  const negotiated = negotiate(request.header('accept'), pretty, asIs);
  // as apiserver/pkg/endpoints/handlers/responsewriters/writers.go: indented JSON if no accepted format fits
  if (!negotiated || (negotiated.format === 'json' && negotiated.pretty))
    return answerIndented(request, code, value, extraHeaders);
  answer(request, code, mediaTypes[negotiated.format], bytesOf(value, negotiated.format), extraHeaders);
}

function bytesOf(value: object, format: Format): Buffer {
  if (format === 'yaml') return Buffer.from(writeYaml(value));
  if (format === 'protobuf') return encodeProtobuf({ apiVersion: 'v1', ...value });
  return Buffer.from(`${jsonText(value)}\n`);
}

/** Answers with a value as indented JSON, whatever the client accepts. */
export function answerIndented(request: Request, code: number, value: object, extraHeaders?: ResponseHeaders): void {
  answer(request, code, mediaTypes.json, Buffer.from(jsonText(value, 2)), extraHeaders);
}

function statusHeaders(status: Status): ResponseHeaders {
  const headers: ResponseHeaders = {};
  if (status.code === 403) headers['x-content-type-options'] = 'nosniff';
  const retry = status.details?.retryAfterSeconds ?? 0;
  if (retry > 0) headers['retry-after'] = String(retry);
  return headers;
}

/** Answers with an error. An error that is no answer of the API is a bug: `onBug` gets it, and the client gets a 500 without details. */
export function answerError(request: Request, error: unknown, onBug: (error: unknown) => void): void {
  if (error instanceof TextAnswer) return answerText(request, error.code, `${error.message}\n`, error.headers);
  if (error instanceof StatusError) {
    const status = statusOf(error);
    request.audit?.responseStatus(status);
    return answerValue(request, status.code ?? 500, status, statusHeaders(status));
  }
  request.audit?.panicked(error);
  onBug(error);
  // as apiserver/pkg/server/filters/wrap.go
  answerText(request, 500, 'This request caused apiserver to panic. Look in the logs for details.\n');
}
