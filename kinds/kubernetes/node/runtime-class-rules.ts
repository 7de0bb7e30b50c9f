// as pkg/apis/node/validation ValidateRuntimeClass, ValidateRuntimeClassUpdate
import { labelFaults } from '../../../apimachinery/selectors/label-faults.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { nodeLabelsWarnings } from '../core/shared/node-label-warnings.js';
import { containerResources } from '../core/shared/resource-rules.js';
import { tolerations } from '../core/pod-spec/toleration-rules.js';
import { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { ResourceRequirements } from '../../../api/kubernetes/core.js';
import type { RuntimeClass } from '../../../api/kubernetes/node.js';

function scheduling(runtime: Field<RuntimeClass>): void {
  const field = runtime.at('scheduling');
  const selector = field.at('nodeSelector');
  selector.add(...labelFaults(selector.value, selector));
  const list = field.at('tolerations');
  tolerations(list);
  const seen = new Set<string>();
  for (const toleration of list.items()) {
    const { key = '', operator = '', value = '', effect = '' } = toleration.value ?? {};
    const id = JSON.stringify([key, operator, value, effect]);
    if (seen.has(id)) toleration.duplicate(shownInternal('Toleration', toleration.value));
    seen.add(id);
  }
}

export const runtimeClassRules: readonly Validate[] = [
  validate<RuntimeClass>(runtime => {
    const handler = runtime.at('handler');
    if (handler.isEmpty) handler.required();
    else handler.check(checkDns1123Label);
    const overhead = runtime.at('overhead');
    const limits = overhead.value?.podFixed;
    if (overhead.isSet)
      containerResources(
        new Field<ResourceRequirements>({ ...(limits && { limits }) }, overhead.path, overhead.faults),
        [],
        {},
      );
    if (runtime.at('scheduling').isSet) scheduling(runtime);
  }),
];

export const runtimeClassChangeRules: readonly Validate[] = [
  ...runtimeClassRules,
  validateChange<RuntimeClass>((runtime, old) => {
    immutable(runtime.at('handler'), old.handler);
  }),
];

export const runtimeClassWarnings = warnings<RuntimeClass>((runtime, warn) => {
  nodeLabelsWarnings(runtime.value?.scheduling?.nodeSelector, () => 'scheduling.nodeSelector', warn);
});
