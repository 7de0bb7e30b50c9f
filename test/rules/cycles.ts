/** Finds the cycles of a directed graph. */

/** Nodes, each with the nodes that it points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the strongly connected components of more than one node, each sorted, by Tarjan's algorithm. */
export function cycles(graph: Graph): readonly (readonly string[])[] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];

  function visit(node: string): void {
    index.set(node, index.size);
    let lowest = index.size - 1;
    stack.push(node);
    onStack.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        lowest = Math.min(lowest, low.get(next) ?? lowest);
      } else if (onStack.has(next)) lowest = Math.min(lowest, index.get(next) ?? lowest);
    }
    low.set(node, lowest);
    if (lowest === index.get(node)) takeComponent(node);
  }

  function takeComponent(root: string): void {
    const component = stack.splice(stack.indexOf(root));
    for (const node of component) onStack.delete(node);
    if (component.length > 1) found.push(component.sort());
  }

  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}
