import type { KubeObject } from '../../apimachinery/interface.js';
import type { Settle } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { type Parts, actionCall } from './context.js';
import type { RequestScope, WriteParameters } from './interface.js';

/** What a write has taken from outside of its object, until it is known how the write ends. */
export interface Reservation {
  /** Takes it for this draft; what an earlier draft of the same write had taken is given back. */
  begin(draft: KubeObject, old: KubeObject | undefined): Promise<void>;
  /** The first one counts. */
  settle(written: boolean): Promise<void>;
}

// as apiserver/pkg/registry/generic/registry Store.BeginCreate, BeginUpdate
/** hot: undefined for most kinds, which take nothing. */
export function reserve(parts: Parts, call: RequestScope, write: WriteParameters): Reservation | undefined {
  const part = subresourceOf(call);
  const { begin } = part?.type === 'part' ? part : call.subresource === '' ? call.definition.strategy : {};
  if (!begin) return undefined;
  let pending: Settle | undefined;
  const settle = async (written: boolean): Promise<void> => {
    const last = pending;
    pending = undefined;
    await last?.(written);
  };
  return {
    async begin(draft, old) {
      await settle(false);
      pending = await begin(draft, old, actionCall(parts, call, write));
    },
    settle,
  };
}
