interface Put {
  readonly type: 'put';
  readonly item: { readonly key: string };
}

interface Removal {
  readonly type: 'remove';
  readonly key: string;
}

/** The key that a change, or its record, is about. */
export function keyOf(change: Put | Removal): string {
  return change.type === 'put' ? change.item.key : change.key;
}
