// Extracts the descriptions of Kubernetes' kinds and fields. The texts are not part of the sources: the build reads them as data from the
// declarations of two packages, and writes them to dist/.
//
// @kubernetes/client-node is of the supported release, but joins lines, and has no descriptions of fields with a type of their own.
// kubernetes-types is older, but keeps the lines and has all descriptions.
import fs from 'node:fs';
import path from 'node:path';

/** Matches `name?:` of a field, or the head of a type, each with the comment before it. */
const declaration =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?(?:export (?:declare )?(?:class|interface|type) (\w+)|^ +['"]?([\w$-]+)['"]?\??: )/gm;

const comment = text => text.replaceAll(/\n *\* ?/g, '\n').trim();
/** Restores line breaks: the client escapes quotes and replaces line breaks by spaces; two were a paragraph, more an indented line. */
const unfolded = text =>
  text
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/(\S) ( +)(?=\S)/g, (_, before, more) => `${before}\n${more === ' ' ? '\n' : more}`);
/** Restores the names of fields that the client renames because they are reserved words. */
const fieldOfClient = name => name.replace(/^_/, '').replace(/^x_kubernetes_.*/, n => n.replaceAll('_', '-'));

/** Returns type -> field -> text; the field '' is the type itself. */
function declarations(source, text, field) {
  const types = new Map();
  let current;
  for (const [, described, type, name] of source.matchAll(declaration)) {
    if (type !== undefined) types.set(type, (current = new Map()));
    if (described !== undefined) current?.set(type === undefined ? field(name) : '', text(comment(described)));
  }
  return types;
}

function readDeclarations(file, text = t => t, field = f => f) {
  return fs.existsSync(file) ? declarations(fs.readFileSync(file, 'utf8'), text, field) : new Map();
}

const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a reader of the client's types of a package such as `io.k8s.api.core.v1`: `V1Pod`, or `CoreV1Event` for ambiguous names. */
function clientReader(root) {
  const models = path.join(root, 'dist', 'gen', 'models');
  return (packageName, type) => {
    const [group = '', version = ''] = packageName.split('.').slice(-2);
    const names = [`${capital(group)}${capital(version)}${type}`, `${capital(version)}${type}`];
    const name = names.find(n => fs.existsSync(path.join(models, `${n}.d.ts`)));
    return name === undefined
      ? undefined
      : readDeclarations(path.join(models, `${name}.d.ts`), unfolded, fieldOfClient).get(name);
  };
}

function typesReader(root) {
  const files = new Map();
  const read = file => files.get(file) ?? files.set(file, readDeclarations(path.join(root, file))).get(file);
  return (packageName, type) => {
    const parts = packageName.split('.');
    return (read(`${parts.slice(-2).join('/')}.d.ts`) ?? new Map()).get(type) ?? read(`${parts.at(-1)}.d.ts`).get(type);
  };
}

const entities = { '&#x60;': '`', '&#x3D;': '=', '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
/** Decodes the HTML entities in comments of methods. */
const plainText = text => text.replaceAll(/&(?:#x?\w+|\w+);/g, entity => entities[entity] ?? entity);

/** Matches a method with the comment before it. */
const method = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:async )?([a-z]\w*)\(/g;
const parameter = /@param (\w+)[ \t]+(\S[^\n]*)/g;

/** Returns the operation id of a method: `listNamespacedPod` of `CoreV1Api` is `listCoreV1NamespacedPod`. */
const operationOf = (api, name) => name.replace(/^[a-z]+/, verb => verb + api);
/** Restores the names of parameters that the client renames because they are reserved words. */
const parameterOfClient = name => name.replace(/^_/, '');

/** Returns the texts of parameters. `common`: parameter -> most frequent text; `operations`: operation -> parameter -> other text. */
function parameterTexts(root) {
  const folder = path.join(root, 'dist', 'gen', 'apis');
  if (!fs.existsSync(folder)) return { common: {}, operations: {} };
  const found = [];
  for (const file of fs.readdirSync(folder).filter(name => /^[A-Z].*Api\.d\.ts$/.test(name))) {
    const api = file.slice(0, -'Api.d.ts'.length);
    const [requests] = fs.readFileSync(path.join(folder, file), 'utf8').split('ResponseProcessor');
    for (const [, described, name] of requests.matchAll(method))
      for (const [, given, text] of described.matchAll(parameter))
        if (given !== 'name' && given !== 'body')
          found.push([operationOf(api, name), parameterOfClient(given), plainText(unfolded(text.trim()))]);
  }
  const counts = new Map();
  for (const [, name, text] of found) {
    const texts = counts.get(name) ?? counts.set(name, new Map()).get(name);
    texts.set(text, (texts.get(text) ?? 0) + 1);
  }
  const most = texts => [...texts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  const common = Object.fromEntries([...counts].map(([name, texts]) => [name, most(texts)]));
  const operations = {};
  for (const [operation, name, text] of found) if (text !== common[name]) (operations[operation] ??= {})[name] = text;
  return { common, operations };
}

const withoutLineBreaks = text => text.replaceAll(/\s+/g, ' ');

/** Matches texts that the client copies from a scalar type (IntOrString, MicroTime) to the fields of that type. */
const ofValue = /^(\w*[A-Z]\w*) is a type |^(\w*Time) is version of /;

function merged(newer = new Map(), older = new Map(), values) {
  const texts = {};
  for (const [field, text] of newer) {
    const [, value, time] = (field !== '' && ofValue.exec(text)) || [];
    if (value === undefined && time === undefined) texts[field] = text;
    else values.set(value ?? time, text);
  }
  for (const [field, text] of older) {
    const known = texts[field];
    if (known === undefined ? newer.size === 0 || field !== '' : withoutLineBreaks(known) === withoutLineBreaks(text))
      texts[field] = text;
  }
  return texts;
}

function table(types, readClient, readTypes) {
  const all = {};
  const values = new Map();
  for (const [packageName, rows] of Object.entries(types))
    all[packageName] = Object.fromEntries(
      Object.keys(rows).map(type => [
        type,
        merged(readClient(packageName, type), readTypes(packageName, type), values),
      ]),
    );
  for (const types of Object.values(all))
    for (const [type, texts] of Object.entries(types)) {
      if (values.has(type)) texts[''] ??= values.get(type);
      if (!Object.keys(texts).length) delete types[type];
    }
  return all;
}

/**
 * Writes `package -> type -> field -> text` for the types of `typesFile` to `target`, and the texts of operations' parameters to
 * `parametersTarget`, unless they are up to date.
 */
export function writeDescriptions(root, typesFile, target, parametersTarget) {
  const [client, types] = ['@kubernetes/client-node', 'kubernetes-types'].map(n => path.join(root, 'node_modules', n));
  const release = folder => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
  const changed = file => fs.statSync(file).mtimeMs;
  const sources = [release(client), release(types), changed(new URL(import.meta.url)), changed(typesFile)].join(' ');
  const stamp = `${target}.of`;
  if (
    [target, parametersTarget, stamp].every(file => fs.existsSync(file)) &&
    fs.readFileSync(stamp, 'utf8') === sources
  )
    return;
  const texts = table(JSON.parse(fs.readFileSync(typesFile, 'utf8')), clientReader(client), typesReader(types));
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, JSON.stringify(texts));
  fs.writeFileSync(parametersTarget, JSON.stringify(parameterTexts(client)));
  fs.writeFileSync(stamp, sources);
}
