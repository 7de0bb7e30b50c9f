import type { Part } from '../../server/parts.js';
import { tokenAuthority } from '../../authn/identity/service-account/authority.js';
import type { Authority } from '../../authn/pki/authority.js';
import type { SigningAuthority } from '../../controllers/certificates/signing.js';
import { startCertificateControllers } from '../../controllers/certificates/start.js';
import { signerChecks } from '../../controllers/certificates/signers.js';
import { startPlatformControllers } from '../../controllers/platform/start.js';
import { componentContext } from '../../client/runtime/component.js';
import type { SigningSettings } from '../flags/signing.js';
import type { Enabled } from './names.js';

/** One year, as kube-controller-manager. */
const defaults: SigningSettings = { validityMs: 365 * 24 * 3600_000 };

const signing = ({ issuer, x509 }: Authority): SigningAuthority => ({ issuer, notAfter: new Date(x509.validTo) });

/** The controllers of kube-controller-manager that Karmada runs. */
export const kubernetesControllers = (
  enabled: Enabled,
  { validityMs, authorities }: SigningSettings = defaults,
): Part => ({
  name: 'kube-controller-manager',
  async start(part) {
    const context = componentContext(part, 'kube-controller-manager');
    const own = (signer: string): readonly [string, Authority] => [signer, part.pki.authority];
    const used = [...(authorities ?? new Map([...signerChecks.keys()].map(own)))];
    const signers = new Map(used.map(([signer, authority]) => [signer, signing(authority)]));
    startCertificateControllers(context, { authorities: signers, validityMs }, enabled);
    await startPlatformControllers(context, tokenAuthority(part.pki), part.catalogue, enabled);
    return { stop: () => context.finished() };
  },
});
