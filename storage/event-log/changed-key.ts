interface Put {
  readonly type: 'put';
  readonly item: { readonly key: string };
}

interface Removal {
  readonly type: 'remove';
  readonly key: string;
}

/** Returns the key that a change, or the record of a change, writes or removes. */
export function changedKey(change: Put | Removal): string {
  return change.type === 'put' ? change.item.key : change.key;
}
