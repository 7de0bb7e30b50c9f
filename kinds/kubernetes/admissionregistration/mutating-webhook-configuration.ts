import { webhooksStrategy } from './webhooks-strategy.js';
import type { NativeKind } from '../native-kind.js';
import { webhooksPrinter } from './webhooks-printer.js';

export const mutatingWebhookConfiguration: NativeKind = {
  group: 'admissionregistration.k8s.io',
  kind: 'MutatingWebhookConfiguration',
  printer: webhooksPrinter,
  strategy: webhooksStrategy,
};
