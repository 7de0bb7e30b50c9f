/** Checks the requirements of a question about members, which may come from any client. */
import { quantityError } from '../../apimachinery/quantity/quantity.js';
import type { ReplicaRequirements } from '../../api/karmada/types.js';
import { ownValue } from '../../lib/collections/own-value.js';
import { isMap } from '../../lib/json/is-map.js';
import { isNumeric } from '../../lib/json/json.js';
import { maxInt32 } from '../estimate/resource-summary.js';

type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === 'string';

const listOf =
  (is: Check): Check =>
  value =>
    Array.isArray(value) && value.every(is);

/** Checks an object that has only these fields, each of which may be absent. */
const withFields =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isMap(value) && Object.entries(value).every(([name, part]) => ownValue(fields, name)?.(part) ?? false);

const nodeRequirements = listOf(withFields({ key: isText, operator: isText, values: listOf(isText) }));

const isNodeClaim = withFields({
  nodeSelector: value => isMap(value) && Object.values(value).every(isText),
  hardNodeAffinity: withFields({
    nodeSelectorTerms: listOf(withFields({ matchExpressions: nodeRequirements, matchFields: nodeRequirements })),
  }),
  tolerations: listOf(
    withFields({ key: isText, operator: isText, value: isText, effect: isText, tolerationSeconds: Number.isInteger }),
  ),
});

function amountsFault(at: string, value: unknown): string | undefined {
  if (!isMap(value)) return `${at}: want quantities by resource`;
  for (const [name, amount] of Object.entries(value)) {
    if (typeof amount !== 'string' && !isNumeric(amount)) return `${at}.${name}: want a quantity`;
    const fault = quantityError(String(amount));
    if (fault !== undefined) return `${at}.${name}: ${fault}`;
  }
  return undefined;
}

/** Returns what is wrong with the requirements of a replica; undefined for ones that estimators can read. `at`: their path, for the message. */
export function requirementsFault(at: string, value: unknown): string | undefined {
  if (!isMap(value)) return `${at}: want an object`;
  const { resourceRequest, nodeClaim, ...texts } = value;
  if (!withFields({ namespace: isText, priorityClassName: isText })(texts))
    return `${at}: want a resourceRequest, a nodeClaim, a namespace and a priorityClassName at most`;
  if (nodeClaim !== undefined && !isNodeClaim(nodeClaim))
    return `${at}.nodeClaim: want a nodeSelector, a hardNodeAffinity and tolerations at most`;
  return resourceRequest === undefined ? undefined : amountsFault(`${at}.resourceRequest`, resourceRequest);
}

const isReplicas: Check = value => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxInt32;

/** Returns what is wrong with a list of components, as `requirementsFault`. */
export function componentsFault(at: string, value: unknown): string | undefined {
  const isComponent = withFields({ name: isText, replicas: isReplicas, replicaRequirements: isMap });
  if (!Array.isArray(value) || !value.every(each => isComponent(each) && isMap(each) && 'replicas' in each))
    return `${at}: want a list of components with replicas`;
  for (const [i, { replicaRequirements }] of (value as { replicaRequirements?: unknown }[]).entries()) {
    const path = `${at}[${i}].replicaRequirements`;
    const fault = replicaRequirements === undefined ? undefined : requirementsFault(path, replicaRequirements);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Returns the requirements with each amount as text: clients may write numbers, and a `bigint` is none for estimators. */
export function withAmountTexts(requirements: ReplicaRequirements): ReplicaRequirements {
  const { resourceRequest } = requirements;
  if (!resourceRequest) return requirements;
  const amounts = Object.entries(resourceRequest).map(([name, amount]) => [name, String(amount)] as const);
  return { ...requirements, resourceRequest: Object.fromEntries(amounts) };
}
