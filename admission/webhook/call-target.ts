/** Reads the client config of a webhook, which webhooks of admission and of the resource interpreter have. */
import type { WebhookClientConfig } from '../../api/kubernetes/admissionregistration.js';
import { caBundleFault } from '../../registry/strategy/ca-bundle.js';
import type { WebhookTarget } from '../../registry/webhook-caller.js';

interface CallTarget {
  readonly target: WebhookTarget;
  /** Why the webhook cannot be called; undefined if it can. */
  readonly fault: string | undefined;
}

const bundleFault = (bundle: string | undefined): string | undefined =>
  bundle === undefined || Buffer.from(bundle, 'base64').toString('latin1').trim() === ''
    ? undefined
    : caBundleFault(bundle);

/** Returns the address and CA of a client config. */
export function callTargetOf({ url, service, caBundle }: WebhookClientConfig): CallTarget {
  const { namespace = '', name = '', path, port } = service ?? {};
  const target = {
    ...(url !== undefined && { url }),
    ...(service && {
      service: { namespace, name, ...(path !== undefined && { path }), ...(port !== undefined && { port }) },
    }),
    ...(caBundle !== undefined && { caBundle }),
  };
  return { target, fault: bundleFault(caBundle) };
}
