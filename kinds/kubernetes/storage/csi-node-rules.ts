// as pkg/apis/storage/validation ValidateCSINode, ValidateCSINodeUpdate
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { csiDriverName } from '../../shared/rules/name-rules.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { CSINode, CSINodeDriver } from '../../../api/kubernetes/storage.js';

const maxNodeIdLength = 256;

function driverOf(driver: Field<CSINodeDriver>): void {
  csiDriverName(driver.at('name'));
  const node = driver.at('nodeID');
  if (node.isEmpty) node.required();
  if ((node.value ?? '').length > maxNodeIdLength) node.invalid(`must be ${maxNodeIdLength} characters or less`);
  nonNegative(driver.at('allocatable').at('count'));
}

/** Errors are reported at the driver. */
function topologyKeys(driver: Field<CSINodeDriver>): void {
  const seen = new Set<string>();
  for (const key of driver.value?.topologyKeys ?? []) {
    if (key === '') driver.required();
    if (seen.has(key)) driver.duplicate(key);
    seen.add(key);
    for (const text of checkQualifiedName(key)) driver.invalid(text, key);
  }
}

export const csiNodeRules: readonly Validate[] = [
  validate<CSINode>(node => {
    const seen = new Set<string>();
    for (const driver of node.at('spec').at('drivers').items()) {
      driverOf(driver);
      const name = driver.at('name');
      if (seen.has(name.value ?? '')) name.duplicate();
      seen.add(name.value ?? '');
      topologyKeys(driver);
    }
  }),
];

export const csiNodeChangeRules: readonly Validate[] = [
  ...csiNodeRules,
  validateChange<CSINode>((node, old) => {
    const drivers = node.at('spec').at('drivers');
    const fixed = ({ allocatable: _, ...driver }: CSINodeDriver): CSINodeDriver => driver;
    const byName = new Map<string | undefined, CSINodeDriver[]>();
    for (const driver of drivers.value ?? []) {
      const same = byName.get(driver.name);
      if (same) same.push(driver);
      else byName.set(driver.name, [driver]);
    }
    for (const before of old.spec?.drivers ?? [])
      for (const driver of byName.get(before.name) ?? []) {
        const now = new Field(fixed(driver), drivers.path, drivers.faults);
        immutable(now, fixed(before), () => shownInternal('*CSINodeDriver', fixed(driver)));
      }
  }),
];
