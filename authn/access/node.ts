/**
 * Allows nodes what they do by themselves: the rules of the ClusterRole system:node, less what belongs to other nodes.
 * differs: upstream keeps a graph of which pod on which node uses which Secret, ConfigMap or claim. Here no kubelet runs, so no node
 * is related to any of them, and none is shown.
 */
import { goQuote } from '../../lib/go/go-text.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import type { Policy } from './policy.js';
import { ruleAllows } from './rule.js';

type Asked = Extract<Attributes, { type: 'resource' }>;

/** Stands before the name of a node in the name of its user. */
export const nodePrefix = 'system:node:';
const allowed: Decision = { allowed: true, reason: '' };
const noOpinion = (reason = ''): Decision => ({ allowed: false, reason });

export const isNode = ({ name, groups }: Identity): boolean =>
  name.startsWith(nodePrefix) && groups.includes('system:nodes');

const unrelated = (node: string): Decision => noOpinion(`no relationship found between node '${node}' and this object`);

/** Objects that bear the node's own name. */
const namedAfterNode =
  (kind: string, readable: string): Judge =>
  ({ verb, name }, node) => {
    if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb))
      return noOpinion(`can only get, create, update, patch, or delete ${readable}`);
    // A create does not say which name it is for.
    if (verb === 'create' || name === node) return allowed;
    return noOpinion(`can only access ${kind} with the same name as the requesting node`);
  };

type Judge = (asked: Asked, node: string) => Decision | undefined;

const nodeLeases = 'kube-node-lease';

const lease: Judge = (asked, node) => {
  if (asked.namespace === nodeLeases) return namedAfterNode('node lease', 'a node lease')(asked, node);
  return noOpinion(`can only access leases in the ${goQuote(nodeLeases)} system namespace`);
};

const ownNode: Judge = ({ verb, subresource, name }, node) => {
  const writes = verb === 'update' || verb === 'patch';
  if (subresource === 'status') return writes ? allowed : noOpinion();
  if (subresource !== '') return noOpinion();
  if (writes || verb === 'create') return allowed;
  if (!['get', 'list', 'watch'].includes(verb)) return noOpinion();
  if (name === node) return allowed;
  return noOpinion(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
};

const ownPods: Judge = ({ verb, subresource, fieldSelector = '' }, node) => {
  if (subresource !== '' || !['get', 'list', 'watch'].includes(verb)) return undefined;
  if (verb === 'get') return unrelated(node);
  if (fieldSelector.split(',').includes(`spec.nodeName=${node}`)) return allowed;
  return noOpinion('can only list/watch pods with spec.nodeName field selector');
};

const notShown: Judge = (_asked, node) => unrelated(node);

/** By `group/resource`; what is not here is judged by the rules alone, as is what a judge has no opinion on (undefined). */
const judges: Readonly<Record<string, Judge>> = {
  '/secrets': notShown,
  '/configmaps': notShown,
  '/persistentvolumeclaims': notShown,
  '/persistentvolumes': notShown,
  '/serviceaccounts': notShown,
  '/nodes': ownNode,
  '/pods': ownPods,
  'coordination.k8s.io/leases': lease,
  'storage.k8s.io/csinodes': namedAfterNode('CSINode', 'a CSINode'),
  'storage.k8s.io/volumeattachments': notShown,
  'resource.k8s.io/resourceclaims': notShown,
  'resource.k8s.io/resourceslices': notShown,
};

export function nodes(policy: Policy): Authorizer {
  return (user, attributes) => {
    if (!isNode(user)) return noOpinion();
    const node = user.name.slice(nodePrefix.length);
    if (attributes.type === 'resource') {
      const decision = judges[`${attributes.group}/${attributes.resource}`]?.(attributes, node);
      if (decision !== undefined) return decision;
    }
    const rules = policy.rulesOf({ kind: 'ClusterRole', name: 'system:node' }, '');
    return typeof rules !== 'string' && rules.some(rule => ruleAllows(rule, attributes)) ? allowed : noOpinion();
  };
}
