import { StatusError } from '../../openapi/meta/status.js';

/** What kube-apiserver's router says before a handler is asked; its texts are not the handlers'. */
function refusal(code: number, reason: string, message: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${code}: ${message}`,
    reason,
    details: {},
    code,
  });
}

/** HTTP-043: no clause of the Accept header names a type that the route produces. */
export const routerNotAcceptable = (types: readonly string[]): StatusError =>
  refusal(406, 'NotAcceptable', `Not Acceptable\n\nAvailable representations: ${types.join(', ')}`);

/** HTTP-041: the route does not consume this Content-Type. */
export const routerUnsupportedMediaType = (): StatusError =>
  refusal(415, 'UnsupportedMediaType', 'Unsupported Media Type');
