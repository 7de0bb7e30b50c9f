/** Validates the rules in CEL of a definition: whether they compile, and their cost. as apiextensions/validation/cel_validation.go */
import type { Int64 } from '../../../lib/json/json.js';
import { append } from '../../../lib/collections/append.js';
import { once } from '../../../lib/collections/once.js';
import type { Fault } from '../../../apimachinery/interface.js';
import { child, forbiddenField, index, internalFault, invalidValue } from '../../../apimachinery/errors/faults.js';
import { escapeName } from './cel-names.js';
import { type CompiledRule, compileRule, maxCardinality, multiplyCost } from './cel-rules.js';
import { type Declared, declare } from './cel-types.js';
import { shownRule } from '../internal-form.js';
import type { RuleChecks } from '../schema-rules.js';
import { type SchemaProps, toSchema } from '../schema-props.js';

const expressionLimit = 10_000_000;
const definitionLimit = 100_000_000;
/** Maximum length of all expressions, which takes some tenths of a second to compile. differs: upstream has no limit. */
const maxCharacters = 500_000;

/** A schema with its parent. */
interface SchemaNode {
  readonly props: SchemaProps | undefined;
  readonly parent: SchemaNode | undefined;
  /** Maximum number of values of the schema in an object; undefined if it is not bounded. */
  readonly cardinality: number | undefined;
  /** Returns the type, which is computed on first use, from that of the parent if possible. */
  readonly declared: () => Declared | undefined;
}

interface Spent {
  readonly path: string;
  readonly cost: number;
}

/** Returns the maximum number of values directly below one value of a schema; undefined if it is not bounded. */
function factor({ type, ...props }: SchemaProps): number | undefined {
  const positive = (n: Int64 | undefined): number | undefined => (n === undefined ? undefined : Math.max(0, Number(n)));
  if (type === 'array') return positive(props.maxItems);
  if (type === 'object' && props.additionalProperties !== undefined) return positive(props.maxProperties);
  return 1;
}

const isEmbedded = (props: SchemaProps): boolean => props['x-kubernetes-embedded-resource'] === true;

function childNode(
  parent: SchemaNode,
  props: SchemaProps | undefined,
  fromParent: (declared: Declared) => Declared | undefined,
): SchemaNode {
  const times = parent.props && factor(parent.props);
  const cardinality =
    parent.cardinality === undefined || times === undefined ? undefined : multiplyCost(parent.cardinality, times);
  const declared = once(() => {
    const above = parent.declared();
    return (above && fromParent(above)) ?? (props && declare(toSchema(props), isEmbedded(props)));
  });
  return { props, parent, cardinality, declared };
}

function factorText(cost: number, limit: number): string {
  const times = cost / limit;
  if (times > 100) return 'more than 100x';
  return times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
}

const tooExpensive = (what: string, cost: number, limit: number): string =>
  `${what} exceeds budget by factor of ${factorText(cost, limit)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;

/** Returns the checks for one version of a definition. `anyCost` removes the cost limit of single expressions, for a stored schema. */
export function celChecks(anyCost = false): RuleChecks<SchemaNode> {
  let total = 0;
  let characters = 0;
  let expensive: Spent[] = [];

  const spend = (path: string, cost: number): void => {
    total += cost;
    if (cost < definitionLimit / 100) return;
    expensive = [...expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  };

  const costFaults = (path: string, what: string, cost: number): Fault[] => {
    spend(path, cost);
    if (anyCost || cost <= expressionLimit) return [];
    return [forbiddenField(path, tooExpensive(what, cost, expressionLimit))];
  };

  const ruleFaults = (
    compiled: CompiledRule,
    at: string,
    times: number,
    uncorrelatable: string | undefined,
  ): Fault[] => {
    const { rule } = compiled;
    const rulePath = child(at, 'rule');
    const messagePath = child(at, 'messageExpression');
    const faults = costFaults(rulePath, 'estimated rule cost', multiplyCost(compiled.cost, times));
    if (compiled.error !== undefined) faults.push(invalidValue(rulePath, shownRule(rule), compiled.error));
    if (compiled.messageError !== undefined)
      faults.push(invalidValue(messagePath, shownRule(rule), compiled.messageError));
    else if (compiled.message)
      faults.push(...costFaults(messagePath, 'estimated messageExpression cost', compiled.messageCost));
    if (compiled.usesOldSelf && uncorrelatable !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      faults.push(invalidValue(rulePath, rule.rule, text));
    } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
      const text = 'may not be set if oldSelf is not used in rule';
      faults.push(invalidValue(child(at, 'optionalOldSelf'), rule.optionalOldSelf, text));
    }
    return faults;
  };

  return {
    root: props => {
      const declared = once(() => declare(toSchema(props), true));
      return { props, parent: undefined, cardinality: 1, declared };
    },
    property: (parent, props, name) => childNode(parent, props, above => above.fields?.get(escapeName(name) ?? '')),
    items: (parent, props) => childNode(parent, props, above => above.items),
    more: (parent, props) => childNode(parent, props, above => above.items),
    *check(here, props, path, uncorrelatable, faults) {
      const at = child(path, 'x-kubernetes-validations');
      const declared = here.declared();
      if (!declared) {
        const text =
          'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
        faults.push(internalFault(at, text));
        return;
      }
      const given = props['x-kubernetes-validations'] ?? [];
      for (const { rule, messageExpression = '' } of given) characters += rule.length + messageExpression.length;
      if (characters > maxCharacters) {
        faults.push(forbiddenField(at, `all rules of a schema together may have ${maxCharacters} characters`));
        return;
      }
      const times = here.cardinality ?? maxCardinality(declared);
      for (const [i, rule] of given.entries()) {
        yield undefined;
        append(faults, ruleFaults(compileRule(rule, declared, props), index(at, i), times, uncorrelatable));
      }
    },
    finish: path => {
      if (total <= definitionLimit) return [];
      const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
      return [
        ...expensive.map(spent => forbiddenField(spent.path, why)),
        forbiddenField(path, tooExpensive(what, total, definitionLimit)),
      ];
    },
  };
}
