import type { ControllerContext } from '../../client/runtime/interface.js';
import { startNodeApproving } from './approving.js';
import { startBootstrapSigner, startTokenCleaner } from './bootstrap-tokens.js';
import { startCleaning } from './cleaning.js';
import { startSigning, type SigningOptions } from './signing.js';

/** The controllers of certificates and bootstrap tokens, by their names in kube-controller-manager. */
export const certificateControllers = [
  'certificatesigningrequest-signing-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
] as const;

type CertificateController = (typeof certificateControllers)[number];

/** Starts the controllers of kube-controller-manager that sign certificates and take care of bootstrap tokens. */
export function startCertificateControllers(
  context: ControllerContext,
  signing: SigningOptions,
  enabled: (name: CertificateController) => boolean,
): void {
  if (enabled('certificatesigningrequest-signing-controller')) startSigning(context, signing);
  if (enabled('certificatesigningrequest-approving-controller')) startNodeApproving(context);
  if (enabled('certificatesigningrequest-cleaner-controller')) startCleaning(context);
  if (enabled('bootstrap-signer-controller')) startBootstrapSigner(context);
  if (enabled('token-cleaner-controller')) startTokenCleaner(context);
}
