const configurations: ReadonlySet<string> = new Set(['mutating-config', 'validating-config']);

/**
 * Whether a webhook is one of karmada-webhook's, whose work is done in process: their configurations are there when Flagship goes on with the
 * store of a Karmada, and stay there for the way back, but nobody may answer behind them any more.
 */
// as karmada artifacts/deploy/webhook-configuration.yaml, and the charts and karmadactl alike
export function isKarmadaWebhook(configuration: string, webhook: string): boolean {
  return configurations.has(configuration) && webhook.endsWith('.karmada.io');
}
