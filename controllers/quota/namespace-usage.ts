import { type Amounts, addAmount } from '../../apimachinery/quantity/amounts.js';
import { isZeroQuantity, type Quantity } from '../../apimachinery/quantity/quantity.js';
import { bindingUsage, usageChange } from '../../kinds/karmada/quota/binding-usage.js';
import type { Binding } from '../../api/karmada/types.js';

const nothing: Amounts = new Map();

/** The usage of all bindings of each namespace. It follows their changes, so that a quota never needs a walk over the bindings. */
export class NamespaceUsage {
  readonly #sums = new Map<string, Map<string, Quantity>>();

  /** Returns the usage of the bindings of a namespace, by resource. */
  of(namespace: string): Amounts {
    return this.#sums.get(namespace) ?? nothing;
  }

  /** Replaces the usage of a binding, and reports whether that of its namespace has changed. `undefined` is a binding that does not exist. */
  replace(old: Binding | undefined, now: Binding | undefined): boolean {
    const namespace = (now ?? old)?.metadata.namespace ?? '';
    const change = usageChange(now ? bindingUsage(now.spec) : nothing, old ? bindingUsage(old.spec) : nothing);
    if (change.size === 0) return false;
    const sum = this.#sums.get(namespace) ?? new Map<string, Quantity>();
    for (const [name, amount] of change) {
      addAmount(sum, name, amount);
      const total = sum.get(name);
      if (total && isZeroQuantity(total)) sum.delete(name);
    }
    if (sum.size > 0) this.#sums.set(namespace, sum);
    else this.#sums.delete(namespace);
    return true;
  }
}
