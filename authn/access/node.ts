/**
 * Allows nodes the rules of the ClusterRole system:node, except on objects of other nodes.
 *
 * differs: upstream keeps a graph of the Secrets, ConfigMaps and claims that the pods of each node use. No kubelet runs here, so no node is
 * related to such an object, and none is readable.
 */
import { goQuote } from '../../lib/go/go-text.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import type { RbacPolicy } from './policy.js';
import { ruleAllows } from './rule.js';

type ResourceAttributes = Extract<Attributes, { type: 'resource' }>;

/** The prefix of a node's user name. */
export const nodePrefix = 'system:node:';
const allowed: Decision = { allowed: true, reason: '' };
const noOpinion = (reason = ''): Decision => ({ allowed: false, reason });

/** Reports whether a user is a node: `system:node:NAME` in the group system:nodes. as pkg/auth/nodeidentifier */
export const isNode = ({ name, groups }: Identity): boolean =>
  name.startsWith(nodePrefix) && groups.includes('system:nodes');

const unrelated = (node: string): Decision => noOpinion(`no relationship found between node '${node}' and this object`);

/** Allows access to objects with the node's own name. */
const sameName =
  (kind: string, readable: string): NodeRule =>
  ({ verb, name }, node) => {
    if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb))
      return noOpinion(`can only get, create, update, patch, or delete ${readable}`);
    // A create request has no name.
    if (verb === 'create' || name === node) return allowed;
    return noOpinion(`can only access ${kind} with the same name as the requesting node`);
  };

type NodeRule = (asked: ResourceAttributes, node: string) => Decision | undefined;

const nodeLeases = 'kube-node-lease';

const lease: NodeRule = (asked, node) => {
  if (asked.namespace === nodeLeases) return sameName('node lease', 'a node lease')(asked, node);
  return noOpinion(`can only access leases in the ${goQuote(nodeLeases)} system namespace`);
};

const ownNode: NodeRule = ({ verb, subresource, name }, node) => {
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

const ownPods: NodeRule = ({ verb, subresource, fieldSelector = '' }, node) => {
  if (subresource !== '' || !['get', 'list', 'watch'].includes(verb)) return undefined;
  if (verb === 'get') return unrelated(node);
  if (fieldSelector.split(',').includes(`spec.nodeName=${node}`)) return allowed;
  return noOpinion('can only list/watch pods with spec.nodeName field selector');
};

const notRelated: NodeRule = (_asked, node) => unrelated(node);

/** Rules by `group/resource`. The ClusterRole alone decides about other resources, and where a rule has no opinion (undefined). */
const nodeRules: Readonly<Record<string, NodeRule>> = {
  '/secrets': notRelated,
  '/configmaps': notRelated,
  '/persistentvolumeclaims': notRelated,
  '/persistentvolumes': notRelated,
  '/serviceaccounts': notRelated,
  '/nodes': ownNode,
  '/pods': ownPods,
  'coordination.k8s.io/leases': lease,
  'storage.k8s.io/csinodes': sameName('CSINode', 'a CSINode'),
  'storage.k8s.io/volumeattachments': notRelated,
  'resource.k8s.io/resourceclaims': notRelated,
  'resource.k8s.io/resourceslices': notRelated,
};

/** Returns an authorizer that allows requests or has no opinion; it has none on other users than nodes, and never denies. */
export function nodeAuthorizer(policy: RbacPolicy): Authorizer {
  return (user, attributes) => {
    if (!isNode(user)) return noOpinion();
    const node = user.name.slice(nodePrefix.length);
    if (attributes.type === 'resource') {
      const decision = nodeRules[`${attributes.group}/${attributes.resource}`]?.(attributes, node);
      if (decision !== undefined) return decision;
    }
    const rules = policy.rulesOf({ kind: 'ClusterRole', name: 'system:node' }, '');
    return typeof rules !== 'string' && rules.some(rule => ruleAllows(rule, attributes)) ? allowed : noOpinion();
  };
}
