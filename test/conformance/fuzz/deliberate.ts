/** Failures that kube-apiserver answers with a code of 500 and more on purpose, by what they say. */
const reasons: readonly (readonly [string, number, RegExp])[] = [
  ['HTTP-094: resourceVersion on create', 500, /resourceVersion should not be set on objects to be created/],
  ['HTTP-097: a future resourceVersion', 504, /Too large resource version/],
  ['HTTP-071: too slow', 504, /request did not complete within the allotted timeout/],
  ['HTTP-095: an apply that does not fit its schema', 500, /failed to create typed patch object/],
  ['HTTP-022: a watch from no revision', 500, /"message":"invalid resource version/],
  ['HTTP-022: a get at no revision', 500, /"message":"resourceVersion: Invalid value/],
  ['an update of no revision', 500, /"message":"strconv\.ParseUint: parsing/],
  [
    'a strategic patch that does not fit its type',
    500,
    /"message":"(?:unknown patch type: |list element types are not identical: |unable to find api field in struct |expected a \[\]interface)/,
  ],
  ['a path that names nothing', 500, /unable to determine kind and namespace from url/],
  ['HTTP-070: too large for the store', 500, /etcdserver: request is too large/],
];

/** Why it is on purpose; undefined when it is not. */
export function isDeliberate(status: number, answer: string): string | undefined {
  const text = answer.replaceAll('"message": "', '"message":"');
  return reasons.find(([, code, form]) => code === status && form.test(text))?.[0];
}
