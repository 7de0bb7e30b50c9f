import type { Printer } from '../../../registry/interface.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, integerColumn, name, printer } from '../../../registry/printer.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../../api/kubernetes/admissionregistration.js';

export const webhooksPrinter: Printer = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  [name, integerColumn('Webhooks'), ageTextColumn],
  (configuration, now) => [nameCell(configuration), (configuration.webhooks ?? []).length, ageCell(configuration, now)],
);
