import { toBase64 } from '../../../../apimachinery/codec/base64.js';
import { setKey } from '../../../../lib/json/clone.js';
import type { Prepare } from '../../../../registry/interface.js';
import { secretWarnings } from './secret-warnings.js';
import { secretChangeRules, secretRules } from './secret-rules.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../../registry/printer.js';
import type { Secret } from '../../../../api/kubernetes/core.js';

export const secret: NativeKind = {
  group: '',
  kind: 'Secret',
  printer: printer<Secret>([name, textColumn('Type'), textColumn('Data'), ageTextColumn], (s, now) => [
    nameCell(s),
    s.type ?? '',
    Object.keys(s.data ?? {}).length,
    ageCell(s, now),
  ]),
  selectableFields: { type: object => (object as Secret).type ?? '' },
  defaults: draft => fillSecret(draft),
  strategy: strategy({
    prepareUpdate: [keepType],
    validateCreate: secretRules,
    validateUpdate: secretChangeRules,
    warnings: [secretWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
};

/** stringData is write-only: it is merged into data, and takes precedence. */
// as pkg/apis/core/v1 Convert_v1_Secret_To_core_Secret, SetDefaults_Secret
function fillSecret(s: Secret): void {
  s.type ||= 'Opaque';
  const { stringData } = s;
  if (stringData === undefined) return;
  delete s.stringData;
  for (const [key, value] of Object.entries(stringData)) setKey((s.data ??= {}), key, toBase64(value));
}

/** An update without a type keeps the old type. */
function keepType(...[draft, old]: Parameters<Prepare>): void {
  (draft as Secret).type ||= (old as Secret | undefined)?.type ?? '';
}
