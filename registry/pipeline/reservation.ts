import type { KubeObject } from '../../apimachinery/interface.js';
import type { Settle } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { type PipelineDeps, actionCall } from './context.js';
import type { RequestScope, WriteParameters } from './interface.js';

/** The reserved resources of a write outside of its object, until the write succeeds or fails. */
export interface Reservation {
  /** Reserves resources for this draft, and releases those of an earlier draft of the same write. */
  begin(draft: KubeObject, old: KubeObject | undefined): Promise<void>;
  /** Commits or releases the reservation. Only the first call has an effect. */
  settle(written: boolean): Promise<void>;
}

// as apiserver/pkg/registry/generic/registry Store.BeginCreate, BeginUpdate
/** hot: Returns the reservation of a write; undefined for most kinds, which reserve nothing. */
export function reserve(deps: PipelineDeps, call: RequestScope, write: WriteParameters): Reservation | undefined {
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
      pending = await begin(draft, old, actionCall(deps, call, write));
    },
    settle,
  };
}
