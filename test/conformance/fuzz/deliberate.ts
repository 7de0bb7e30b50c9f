import type { FuzzRequest } from './seeds.js';

/** Messages of failures that kube-apiserver answers with a code of 500 and more on purpose. */
const reasons: readonly (readonly [string, number, RegExp])[] = [
  ['resourceVersion on create', 500, /resourceVersion should not be set on objects to be created/],
  ['a future resourceVersion', 504, /Too large resource version/],
  ['too slow', 504, /request did not complete within the allotted timeout/],
  ['an apply that does not fit its schema', 500, /failed to create typed patch object|failed to convert new object/],
  ['a watch from no revision', 500, /"message":"invalid resource version/],
  ['a get at no revision', 500, /"message":"resourceVersion: Invalid value/],
  ['an update of no revision', 500, /"message":"strconv\.ParseUint: parsing/],
  ['a binding that names no node', 500, /"message":"\[?target\.(?:name|kind): /],
  ['a path that names nothing', 500, /unable to determine kind and namespace from url/],
  ['no range of services is left', 500, /failed to allocate a serviceIP for Service .* range is full/],
  ['a binding that names no kind of role', 500, /"message":"unsupported role reference kind: /],
  [
    'a search for an unknown path',
    500,
    /invalid requestInfo parts: |k8s native Request URL\(.*\) is not a resource request/,
  ],
  ['a service that nothing stands behind', 503, /no endpoints available for service/],
  ['a machine that is not there', 503, /error trying to reach service: /],
  ['a service without such a port', 503, /no service port -?\d+ found for service/],
  ['a kubelet', 500, /error dialing backend: this server reaches no kubelets/],
  ['a node without addresses', 500, /no preferred addresses found; known addresses: /],
  ['a webhook that does not answer', 500, /failed calling webhook |conversion webhook for .* failed: /],
  ['too large for the store', 500, /etcdserver: request is too large/],
];

/** Returns whether a strategic merge patch failed. kube-apiserver answers with a Status without a reason. */
const isMergeFailure = ({ method, headers }: FuzzRequest, status: number, text: string): boolean =>
  method === 'PATCH' &&
  status === 500 &&
  String(headers['content-type']).startsWith('application/strategic-merge-patch+json') &&
  text.includes('Failure') &&
  !/reason"?: ?"?[A-Z]/.test(text);

/** Returns a Status in compact JSON. The answer may be indented JSON or YAML. */
const bare = (answer: string): string =>
  answer
    .replace(/\s+/g, ' ')
    .replaceAll('": "', '":"')
    .replace(/(^| )message: ['"]?/, '$1"message":"');

/** Returns whether a HEAD through a proxy failed, whose answer has no reason. */
const isUnreached = ({ method, path }: FuzzRequest, status: number): boolean =>
  method === 'HEAD' && (status === 500 || status === 503) && /\/(?:nodes|pods|services)\/[^/]+\/proxy/.test(path);

/** Returns why the failure is deliberate, or undefined if it is a fault. */
export function isDeliberate(request: FuzzRequest, status: number, answer: string): string | undefined {
  const text = bare(answer);
  if (isMergeFailure(request, status, text)) return 'a strategic patch that does not fit its type';
  if (isUnreached(request, status)) return 'a machine that is not there, of which a HEAD says nothing';
  return reasons.find(([, code, form]) => code === status && form.test(text))?.[0];
}
