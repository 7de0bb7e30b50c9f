interface Put {
  readonly type: 'put';
  readonly item: { readonly key: string };
}

interface Removal {
  readonly type: 'remove';
  readonly key: string;
}

/** Returns the key of a change, or of its record. */
export function keyOf(change: Put | Removal): string {
  return change.type === 'put' ? change.item.key : change.key;
}
