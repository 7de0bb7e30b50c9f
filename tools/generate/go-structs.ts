import fs from 'node:fs';
import path from 'node:path';

/** One field of a Go struct with its JSON properties. */
export interface GoField {
  readonly json: string;
  readonly pointer: boolean;
  readonly omitempty: boolean;
  /** The field is left out if it is the zero value of its type, including structs. */
  readonly omitzero: boolean;
}

export type GoStructs = (typeName: string) => readonly GoField[] | undefined;

interface Declaration {
  readonly imports: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
  /** The other type of an alias `type Rule = v1.Rule`, as written. */
  readonly same?: string;
}

/** Returns the folder of a package: `io.k8s.api.apps.v1` is `api/apps/v1`. */
const folderOf = (packageName: string): string => packageName.split('.').slice(2).join('/');

function importsOf(source: string): Map<string, string> {
  const imports = new Map<string, string>();
  for (const [, alias, target = ''] of source.matchAll(/^\s*(?:import\s+)?(\w+\s+)?"(k8s\.io\/[^"]+)"$/gm)) {
    const packageName = 'io.' + target.replace(/^k8s\.io/, 'k8s').replaceAll('/', '.');
    imports.set(alias?.trim() ?? path.basename(target), packageName);
  }
  return imports;
}

function declarations(folder: string): Map<string, Declaration> {
  const found = new Map<string, Declaration>();
  if (!fs.existsSync(folder)) return found;
  for (const file of fs.readdirSync(folder).sort()) {
    if (!file.endsWith('.go') || /^zz_generated|_test\.go$|^generated\.pb/.test(file)) continue;
    const source = fs.readFileSync(path.join(folder, file), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '');
    const imports = importsOf(source);
    for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([^]*?)^\}/gm)) {
      found.set(name, { imports, lines: body.split('\n').map(line => line.replace(/^\s*\/\/.*/, '').trim()) });
    }
    for (const [, name = '', same = ''] of source.matchAll(/^\s*(?:type )?(\w+) = (\w+\.\w+)$/gm)) {
      if (imports.has(same.split('.')[0] ?? '')) found.set(name, { imports, lines: [], same });
    }
  }
  return found;
}

/**
 * Reads from a Kubernetes source tree what the OpenAPI does not contain: the order of a struct's fields, whether each is a pointer, and how
 * its json tag treats zero values. Embedded structs are expanded in place, as encoding/json does.
 */
export function goStructs(kubernetesSource: string): GoStructs {
  const packages = new Map<string, Map<string, Declaration>>();

  function declaration(packageName: string, name: string): Declaration | undefined {
    let known = packages.get(packageName);
    if (!known) {
      known = declarations(path.join(kubernetesSource, 'staging', 'src', 'k8s.io', folderOf(packageName)));
      packages.set(packageName, known);
    }
    return known.get(name);
  }

  function fields(packageName: string, name: string): GoField[] | undefined {
    const found = declaration(packageName, name);
    if (found?.same !== undefined) return elsewhere(found, found.same);
    return found?.lines.flatMap(line => field(packageName, found, line));
  }

  function elsewhere(from: Declaration, qualified: string): GoField[] | undefined {
    const [alias = '', name = ''] = qualified.split('.');
    const home = from.imports.get(alias);
    return home === undefined ? undefined : fields(home, name);
  }

  function field(packageName: string, from: Declaration, line: string): GoField[] {
    const tag = /`[^`]*json:"([^"]*)"/.exec(line)?.[1];
    if (tag === undefined) return [];
    const [json = '', ...options] = tag.split(',');
    if (json === '-') return [];
    const embedded = /^\*?((?:\w+\.)?\w+)\s+`/.exec(line)?.[1];
    if (json === '' && embedded !== undefined) {
      const expanded = embedded.includes('.') ? elsewhere(from, embedded) : fields(packageName, embedded);
      if (!expanded) throw new Error(`cannot find the embedded ${line} of ${packageName}`);
      return expanded;
    }
    if (json === '') throw new Error(`a field without a name: ${packageName}: ${line}`);
    const type = /^\w+\s+(\S+)/.exec(line)?.[1] ?? '';
    return [
      {
        json,
        pointer: type.startsWith('*'),
        omitempty: options.includes('omitempty'),
        omitzero: options.includes('omitzero'),
      },
    ];
  }

  return typeName => {
    const dot = typeName.lastIndexOf('.');
    return fields(typeName.slice(0, dot), typeName.slice(dot + 1));
  };
}
