/** Paths of which one is the other, or lies in it. */

export interface Place {
  readonly path: string;
  readonly source: string;
}

interface Seen {
  readonly place: Place;
  readonly order: number;
}

/** A folder, or what has its name. */
interface Node {
  readonly children: Map<string, Node>;
  /** Of different places with this path, and with this path or one below it. */
  readonly here: Seen[];
  readonly within: Seen[];
}

const newNode = (): Node => ({ children: new Map(), here: [], within: [] });

/** Of warnings: all that a response has room for are fewer. */
const most = 300;

/**
 * Pairs of a place and one that came before it, in order and each once; no more than can be told. `text`: of a pair.
 * hot: a volume may have tens of thousands of files.
 */
// as pkg/api/pod warningsForOverlappingVirtualPaths
export function pathClashes(places: readonly Place[], text: (place: Place, other: Place) => string): readonly string[] {
  const root = newNode();
  const known = new Set<string>();
  const found = new Set<string>();
  for (const [order, { path: written, source }] of places.entries()) {
    const place = { path: written.replace(/\/+$/, ''), source };
    if (place.path === '') continue;
    const way = wayTo(root, place.path);
    const end = way[way.length - 1] ?? root;
    const others = [...way.slice(0, -1).flatMap(({ here }) => here), ...end.within].sort((a, b) => a.order - b.order);
    for (const other of others) {
      found.add(text(place, other.place));
      if (found.size === most) return [...found];
    }
    const key = JSON.stringify([place.path, source]);
    if (known.has(key)) continue;
    known.add(key);
    for (const { within } of way) if (within.length < most) within.push({ place, order });
    if (end.here.length < most) end.here.push({ place, order });
  }
  return [...found];
}

/** The nodes of a path, its own the last; made where there are none. */
function wayTo(root: Node, path: string): readonly Node[] {
  const way: Node[] = [];
  let node = root;
  for (const name of path.split('/')) {
    let next = node.children.get(name);
    if (!next) node.children.set(name, (next = newNode()));
    way.push(next);
    node = next;
  }
  return way;
}
