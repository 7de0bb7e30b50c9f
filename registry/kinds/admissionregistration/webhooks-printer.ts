import type { Printer } from '../../interface.js';
import { ageCell, nameCell } from '../shared/print/cells.js';
import { age, integer, name, printer } from '../shared/print/printer.js';
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../types/admissionregistration.js';

export const webhooksPrinter: Printer = printer<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  [name, integer('Webhooks'), age],
  (configuration, now) => [nameCell(configuration), (configuration.webhooks ?? []).length, ageCell(configuration, now)],
);
