/** Finds paths that are equal, or of which one is inside the other. */

export interface Place {
  readonly path: string;
  readonly source: string;
}

interface Seen {
  readonly place: Place;
  readonly order: number;
}

/** A folder or file. */
interface Node {
  readonly children: Map<string, Node>;
  /** Distinct places with this path, and with this path or one below it. */
  readonly here: Seen[];
  readonly within: Seen[];
}

const newNode = (): Node => ({ children: new Map(), here: [], within: [] });

/** The maximum number of warnings; more would not fit into a response. */
const maxClashes = 300;

/** The maximum number of names in all paths together; further places are not compared, since they cause nothing but warnings. */
const maxNames = 20_000;

/** Returns the path without the slashes at its end. Takes time linear in the length. */
function withoutSlashes(path: string): string {
  let { length } = path;
  while (path[length - 1] === '/') length--;
  return path.slice(0, length);
}

/**
 * Returns the texts for all pairs of a place and a clashing earlier one, in order and without duplicates, up to the maximum. `text` formats a
 * pair. hot: a volume may have tens of thousands of files.
 */
// as pkg/api/pod warningsForOverlappingVirtualPaths
export function pathClashes(places: readonly Place[], text: (place: Place, other: Place) => string): readonly string[] {
  const root = newNode();
  const known = new Set<string>();
  const found = new Set<string>();
  let names = 0;
  for (const [order, { path: written, source }] of places.entries()) {
    const place = { path: withoutSlashes(written), source };
    if (place.path === '') continue;
    const segments = place.path.split('/', maxNames - names + 1);
    if ((names += segments.length) > maxNames) break;
    const way = nodesAlong(root, segments);
    const end = way[way.length - 1] ?? root;
    const others = [...way.slice(0, -1).flatMap(({ here }) => here), ...end.within].sort((a, b) => a.order - b.order);
    for (const other of others) {
      found.add(text(place, other.place));
      if (found.size === maxClashes) return [...found];
    }
    const key = JSON.stringify([place.path, source]);
    if (known.has(key)) continue;
    known.add(key);
    for (const { within } of way) if (within.length < maxClashes) within.push({ place, order });
    if (end.here.length < maxClashes) end.here.push({ place, order });
  }
  return [...found];
}

/** Returns the nodes along a path, the last one for the path itself; missing nodes are created. */
function nodesAlong(root: Node, names: readonly string[]): readonly Node[] {
  const way: Node[] = [];
  let node = root;
  for (const name of names) {
    let next = node.children.get(name);
    if (!next) node.children.set(name, (next = newNode()));
    way.push(next);
    node = next;
  }
  return way;
}
