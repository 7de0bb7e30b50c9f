import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Operation } from '../../../controllers/interpreter/interface.js';
import { textAt } from '../../../controllers/interpreter/native/object.js';
import {
  type Customization,
  customizationOperations,
} from '../../../kinds/karmada/interpreter/interpreter-customization.js';
import { type LuaBinary, loadLuaBinary } from '../../../lib/lua/engine.js';
import { luaSyntaxError } from '../../../lib/lua/syntax.js';
import type { LoadedObject } from '../../read-objects.js';
import { kindFault } from './inputs.js';

/** Columns of spaces behind a cell, and the least width of one. as cli-runtime/pkg/printers GetNewTabWriter */
const [padding, minWidth] = [3, 6];

/** A column of a table, which never becomes narrower. */
class Column {
  #width = minWidth;

  /** Returns cells that stand below each other, with equal widths. */
  padded(cells: readonly string[]): string[] {
    this.#width = Math.max(this.#width, ...cells.map(cell => cell.length + padding));
    return cells.map(cell => cell.padEnd(this.#width));
  }
}

interface Row {
  readonly rule: string;
  readonly result: string;
  readonly failed: boolean;
}

const operations = Object.entries(customizationOperations) as readonly [Customization, Operation][];

function rowsOf(object: KubeObject, lua: LuaBinary): Row[] {
  return operations.map(([field, operation]) => {
    const rule = `    ${operation}:`;
    const script = textAt(object, 'spec', 'customizations', field, 'luaScript');
    if (!script) return { rule, result: 'UNSET', failed: false };
    const error = luaSyntaxError(lua, Buffer.from(script), () => performance.now());
    if (error === undefined) return { rule, result: 'PASS', failed: false };
    return { rule, result: `ERROR: ${error.trim()}`, failed: true };
  });
}

interface Checked {
  readonly text: string;
  readonly failed: boolean;
}

/** The report on customizations. Its columns are aligned in all of it. */
class Report {
  readonly #rules = new Column();
  readonly #errors = new Column();
  readonly #lines: string[] = [];
  readonly #lua = loadLuaBinary();
  #failed = false;

  add(loaded: LoadedObject): void {
    const { source, object } = loaded;
    this.#lines.push('-----------------------------------', `SOURCE: ${textAt(object, 'metadata', 'name') ?? source}`);
    const [kind, apiVersion] = ['kind', 'apiVersion'].map(name => textAt(object, 'spec', 'target', name));
    const fault =
      kindFault(loaded) ??
      (kind ? undefined : 'target.kind no set') ??
      (apiVersion ? undefined : 'target.apiVersion no set');
    if (fault !== undefined) return this.#fail(fault);
    this.#lines.push(...this.#rules.padded([`TARGET: ${apiVersion} ${kind}`]), 'RULERS:');
    this.#addRows(rowsOf(object, this.#lua));
  }

  /** Returns the text of the report. */
  end(): Checked {
    return { text: this.#lines.map(line => `${line}\n`).join(''), failed: this.#failed };
  }

  #fail(line: string): void {
    this.#failed = true;
    this.#lines.push(line);
  }

  /** Adds a row per rule. Errors that stand below each other have one width. */
  #addRows(rows: readonly Row[]): void {
    const rules = this.#rules.padded(rows.map(({ rule }) => rule));
    for (let i = 0; i < rows.length;) {
      const end = rows.findIndex(({ failed }, at) => at >= i && !failed);
      const failing = rows.slice(i, end < 0 ? undefined : end).map(({ result }) => result);
      for (const error of failing.length > 0 ? this.#errors.padded(failing) : []) this.#fail(`${rules[i++]}${error}`);
      const next = rows[i];
      if (next) this.#lines.push(`${rules[i++]}${next.result}`);
    }
  }
}

/** Checks customizations: their targets, and the syntax of their scripts. as pkg/karmadactl/interpret runCheck */
export function checkCustomizations(customizations: readonly LoadedObject[]): Checked {
  const report = new Report();
  for (const customization of customizations) report.add(customization);
  return report.end();
}
