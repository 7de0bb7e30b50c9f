/** Validates the rules in CEL of a definition: whether they compile, and their cost. as apiextensions/validation/cel_validation.go */
import type { Int64 } from '../../../lib/json/json.js';
import { append } from '../../../lib/collections/append.js';
import { once } from '../../../lib/collections/once.js';
import type { InSteps } from '../../../lib/time-slice.js';
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

/** Returns the faults of `oldSelf`, and of `optionalOldSelf` without it. */
function oldSelfFaults({ rule, usesOldSelf }: CompiledRule, at: string, uncorrelatable: string | undefined): Fault[] {
  if (usesOldSelf && uncorrelatable !== undefined) {
    const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    return [invalidValue(child(at, 'rule'), rule.rule, text)];
  }
  if (usesOldSelf || rule.optionalOldSelf === undefined) return [];
  const text = 'may not be set if oldSelf is not used in rule';
  return [invalidValue(child(at, 'optionalOldSelf'), rule.optionalOldSelf, text)];
}

/** Checks the rules of one version, and adds up what they cost. */
class CelChecks implements RuleChecks<SchemaNode> {
  readonly #anyCost: boolean;
  #totalCost = 0;
  #characters = 0;
  /** The most expensive expressions, in the order of their cost. */
  #expensive: readonly Spent[] = [];

  constructor(anyCost: boolean) {
    this.#anyCost = anyCost;
  }

  root(props: SchemaProps): SchemaNode {
    const declared = once(() => declare(toSchema(props), true));
    return { props, parent: undefined, cardinality: 1, declared };
  }

  property(parent: SchemaNode, props: SchemaProps, name: string): SchemaNode {
    return childNode(parent, props, above => above.fields?.get(escapeName(name) ?? ''));
  }

  items(parent: SchemaNode, props: SchemaProps): SchemaNode {
    return childNode(parent, props, above => above.items);
  }

  more(parent: SchemaNode, props: SchemaProps | undefined): SchemaNode {
    return childNode(parent, props, above => above.items);
  }

  *check(
    here: SchemaNode,
    props: SchemaProps,
    path: string,
    uncorrelatable: string | undefined,
    faults: Fault[],
  ): InSteps<void> {
    const at = child(path, 'x-kubernetes-validations');
    const declared = here.declared();
    if (!declared) {
      const text =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      faults.push(internalFault(at, text));
      return;
    }
    const given = props['x-kubernetes-validations'] ?? [];
    for (const { rule, messageExpression = '' } of given) this.#characters += rule.length + messageExpression.length;
    if (this.#characters > maxCharacters) {
      faults.push(forbiddenField(at, `all rules of a schema together may have ${maxCharacters} characters`));
      return;
    }
    const times = here.cardinality ?? maxCardinality(declared);
    for (const [i, rule] of given.entries()) {
      yield undefined;
      const compiled = compileRule(rule, declared, props);
      const ruleAt = index(at, i);
      append(faults, this.#ruleFaults(compiled, ruleAt, times));
      append(faults, oldSelfFaults(compiled, ruleAt, uncorrelatable));
    }
  }

  finish(path: string): Fault[] {
    if (this.#totalCost <= definitionLimit) return [];
    const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map(spent => forbiddenField(spent.path, why)),
      forbiddenField(path, tooExpensive(what, this.#totalCost, definitionLimit)),
    ];
  }

  /** Returns the faults of a rule by itself: whether it compiles, and its cost. `times`: how many values it applies to. */
  #ruleFaults(compiled: CompiledRule, at: string, times: number): Fault[] {
    const { rule, error, messageError } = compiled;
    const rulePath = child(at, 'rule');
    const messagePath = child(at, 'messageExpression');
    const faults = this.#costFaults(rulePath, 'estimated rule cost', multiplyCost(compiled.cost, times));
    if (error !== undefined) faults.push(invalidValue(rulePath, shownRule(rule), error));
    if (messageError !== undefined) faults.push(invalidValue(messagePath, shownRule(rule), messageError));
    else if (compiled.message)
      faults.push(...this.#costFaults(messagePath, 'estimated messageExpression cost', compiled.messageCost));
    return faults;
  }

  #costFaults(path: string, what: string, cost: number): Fault[] {
    this.#spend(path, cost);
    if (this.#anyCost || cost <= expressionLimit) return [];
    return [forbiddenField(path, tooExpensive(what, cost, expressionLimit))];
  }

  #spend(path: string, cost: number): void {
    this.#totalCost += cost;
    if (cost < definitionLimit / 100) return;
    this.#expensive = [...this.#expensive, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }
}

/** Returns the checks for one version of a definition. `anyCost` removes the cost limit of single expressions, for a stored schema. */
export const celChecks = (anyCost = false): RuleChecks<SchemaNode> => new CelChecks(anyCost);
