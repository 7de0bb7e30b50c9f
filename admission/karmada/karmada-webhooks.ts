const configurations: ReadonlySet<string> = new Set(['mutating-config', 'validating-config']);

/**
 * Reports whether a webhook is one of karmada-webhook, which runs in process here. The store of a migrated Karmada has their
 * configurations, which are kept for a migration back although no server answers them any more.
 */
// as karmada artifacts/deploy/webhook-configuration.yaml, and the charts and karmadactl alike
export function isKarmadaWebhook(configuration: string, webhook: string): boolean {
  return configurations.has(configuration) && webhook.endsWith('.karmada.io');
}
