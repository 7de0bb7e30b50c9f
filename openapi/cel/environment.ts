/**
 * The CEL environment of Kubernetes: its functions, and the compilation of expressions.
 * as apiserver/pkg/cel/environment/base.go
 */
import { OutOfSteps, StepLimit } from '../../lib/steps.js';
import { type Expr, issuesText } from '../../lib/cel/parser/ast.js';
import { type Checked, check } from '../../lib/cel/checker/check.js';
import type { Range } from '../../lib/cel/cost-model.js';
import { estimateCost } from '../../lib/cel/checker/estimate.js';
import type { Sizes } from '../../lib/cel/checker/node-sizes.js';
import { type Program, planProgram } from '../../lib/cel/interpreter/program.js';
import type { Allowance } from '../../lib/cel/interpreter/frame.js';
import type { Library, Overload } from '../../lib/cel/function.js';
import { kubernetesLibrary } from './kubernetes-library.js';
import { listLibrary } from '../../lib/cel/library/list-library.js';
import { literalIssues, regexError } from '../../lib/cel/checker/literals.js';
import { networkLibrary, networkTypes } from './network-library.js';
import { parse } from '../../lib/cel/parser/parser.js';
import { standardLibrary, typeNames } from '../../lib/cel/library/standard.js';
import { textLibrary } from '../../lib/cel/library/text-library.js';
import { timeLibrary } from '../../lib/cel/time.js';
import { type Type, typeOf } from '../../lib/cel/types.js';
import { CelError, type Value } from '../../lib/cel/values.js';

/** Maximum cost of one evaluation. as celconfig.PerCallLimit */
const callLimit = 1_000_000;
const defaultAllowance: Allowance = { limit: callLimit };

export interface Environment {
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Variables that are types. */
  readonly types: ReadonlyMap<string, Type>;
  /** Returns the type with this name of which expressions can construct values: `Object.spec{...}`. */
  readonly structs?: (name: string) => Type | undefined;
}

function byName(libraries: readonly Library[]): Map<string, readonly Overload[]> {
  const out = new Map<string, Overload[]>();
  for (const overload of libraries.flat()) {
    const overloads = out.get(overload.name);
    if (overloads) overloads.push(overload);
    else out.set(overload.name, [overload]);
  }
  return out;
}

/** Returns an environment with the libraries of Kubernetes 1.36 and others, such as the authorizer of admission policies. */
export function environmentOf(...more: readonly Library[]): Environment {
  const libraries = [
    standardLibrary,
    timeLibrary,
    textLibrary,
    listLibrary,
    kubernetesLibrary,
    networkLibrary,
    ...more,
  ];
  return { functions: byName(libraries), types: new Map(Object.entries({ ...typeNames, ...networkTypes })) };
}

/** The environment of the rules in CustomResourceDefinitions. */
export const baseEnvironment = environmentOf();

export interface Compiled {
  readonly type: Type;
  /** Variables that the expression refers to. */
  readonly references: ReadonlySet<string>;
  /** Returns the minimum and maximum cost. */
  readonly estimate: (sizes: (variable: string) => Sizes | undefined) => Range;
  /** Evaluates the expression, by default with the cost limit of one call. A variable that is undefined is an error. */
  readonly run: (variables: (name: string) => Value | undefined, allowance?: Partial<Allowance>) => ReturnType<Program>;
}

/** Why an expression does not compile: the issues as cel-go prints them, or the error of the program's creation. */
type CompileFailure = { readonly issues: string } | { readonly instantiation: string };

function prepare(node: Expr, checked: Checked, environment: Environment): Compiled | CompileFailure {
  try {
    const program = planProgram(node, checked, environment.types);
    return {
      type: checked.type,
      references: checked.references,
      estimate: sizes => estimateCost(node, checked, sizes),
      run: (variables, allowance) =>
        program(variables, allowance ? { limit: callLimit, ...allowance } : defaultAllowance),
    };
  } catch (error) {
    if (error instanceof CelError) return { instantiation: error.message };
    throw error;
  }
}

/** Maximum number of steps to compile the regular expressions of one expression. */
const maxRegexpSteps = 2_000_000;

const failureOf = (text: string): CompileFailure => ({ issues: issuesText('', [{ at: -1, text }]) });

/** Compiles an expression over variables of the given types. It takes milliseconds at most for any expression. */
export function compile(
  source: string,
  variables: ReadonlyMap<string, Type>,
  environment: Environment = baseEnvironment,
): Compiled | CompileFailure {
  try {
    return compiled(source, variables, environment);
  } catch (error) {
    if (error instanceof RangeError) return failureOf('max recursion depth exceeded');
    if (error instanceof OutOfSteps) return failureOf('the regular expressions of the expression are too large');
    throw error;
  }
}

function compiled(
  source: string,
  variables: ReadonlyMap<string, Type>,
  environment: Environment,
): Compiled | CompileFailure {
  const parsed = parse(source);
  if ('issues' in parsed) return { issues: issuesText(source, parsed.issues) };
  const types = new Map<string, Type>();
  for (const [name, type] of environment.types) types.set(name, typeOf(type));
  for (const [name, type] of variables) types.set(name, type);
  const checked = check(parsed.node, {
    variables: types,
    functions: environment.functions,
    ...(environment.structs && { structs: environment.structs }),
  });
  if ('issues' in checked) return { issues: issuesText(source, checked.issues) };
  const steps = new StepLimit(maxRegexpSteps);
  const issues = literalIssues(parsed.node, checked, steps);
  if (issues.length > 0) return { issues: issuesText(source, issues) };
  const instantiation = regexError(parsed.node, steps);
  if (instantiation !== undefined) return { instantiation };
  return prepare(parsed.node, checked, environment);
}
