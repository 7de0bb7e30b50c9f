import { semanticEqual } from '../../../lib/json/equality.js';
import type { Attributes } from '../../../registry/access.js';
import { howToLift } from '../../../kinds/karmada/tenant-boundaries.js';
import type { Cluster, SecretReference } from '../../../api/karmada/types.js';
import type { Boundary } from './boundary.js';

type Spec = Cluster['spec'];

/** The fields that decide which server gets a member's token, and which token it gets. */
const directing = [
  'apiEndpoint',
  'proxyURL',
  'proxyHeader',
  'insecureSkipTLSVerification',
  'secretRef',
  'impersonatorSecretRef',
] as const satisfies readonly (keyof Spec)[];

const secretsOf = (spec: Spec | undefined): SecretReference[] =>
  [spec?.secretRef, spec?.impersonatorSecretRef].filter(reference => reference !== undefined);

const rightTo = ({ namespace = '', name = '' }: SecretReference): Attributes => ({
  type: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'secrets',
  subresource: '',
  namespace,
  name,
});

const crossing = (field: string, { namespace, name }: SecretReference): string =>
  `spec.${field} decides where the control plane sends the token in the Secret ${namespace}/${name}: only users who may get ` +
  `that Secret can set it. Ask for the right to get the Secret, or ask a cluster administrator ${howToLift}`;

/**
 * The control plane sends the token of a member to the endpoint or proxy in its Cluster. A user who can change these could obtain the
 * token, so the user must be allowed to read the Secrets with the tokens before and after the change.
 */
export const clusterBoundary: Boundary = async ({ operation, subresource, object, old, user }, authorize) => {
  if (subresource !== '' || !object || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined;
  const { spec } = object as Cluster;
  const before = (old as Cluster | undefined)?.spec;
  const field = directing.find(each => !semanticEqual(spec[each], before?.[each]));
  if (field === undefined) return undefined;
  for (const reference of [...secretsOf(before), ...secretsOf(spec)])
    if (!(await authorize(user, rightTo(reference))).allowed) return crossing(field, reference);
  return undefined;
};
