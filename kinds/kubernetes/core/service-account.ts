import { warnings } from '../../shared/rules/warnings.js';
import type { ServiceAccount } from '../../../api/kubernetes/core.js';
import type { Prepare } from '../../../registry/interface.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer } from '../../../registry/printer.js';
import { enforceMountableSecretsAnnotation } from '../../../api/kubernetes/well-known.js';

/** Warns when the annotation is newly set. */
const mountableSecretsWarning = warnings<ServiceAccount>((account, warn, old) => {
  if (old?.metadata.annotations?.[enforceMountableSecretsAnnotation] !== undefined) return;
  if (account.value?.metadata.annotations?.[enforceMountableSecretsAnnotation] !== undefined)
    warn(
      `metadata.annotations[${enforceMountableSecretsAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
    );
});

export const serviceAccount: NativeKind = {
  group: '',
  kind: 'ServiceAccount',
  printer: printer([name, ageTextColumn], (account, now) => [nameCell(account), ageCell(account, now)]),
  strategy: strategy({
    prepareCreate: [bareSecretNames],
    prepareUpdate: [bareSecretNames],
    returnsDeleted: true,
    warnings: [mountableSecretsWarning],
    metadataRepeats: ['change', 'whole'],
  }),
};

/** In references to secrets only the names are kept. */
// as pkg/registry/core/serviceaccount cleanSecretReferences
function bareSecretNames(...[draft]: Parameters<Prepare>): void {
  const account = draft as ServiceAccount;
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
