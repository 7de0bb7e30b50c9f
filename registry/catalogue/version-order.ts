const shape = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const stability: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

/**
 * Orders versions as they are preferred (CRD-006): v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1, then what is not shaped like a
 * version, by its letters.
 */
// as apimachinery/pkg/version CompareKubeAwareVersionStrings
export function compareVersions(a: string, b: string): number {
  const [left, right] = [shape.exec(a), shape.exec(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return (
    rank(right, left, m => (m[2] === undefined ? 3 : (stability[m[2]] ?? 0))) ||
    rank(right, left, m => Number(m[1])) ||
    rank(right, left, m => Number(m[3] ?? 0))
  );
}

function rank(a: RegExpExecArray, b: RegExpExecArray, by: (match: RegExpExecArray) => number): number {
  return by(a) - by(b);
}
