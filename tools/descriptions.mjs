// What the kinds and fields of Kubernetes are for, in Kubernetes' own words. The texts are not ours, so they stand in no source file:
// the build reads them, as data, from the declarations of two packages, and writes them to dist/.
//
// @kubernetes/client-node is of our release, but folds lines, and says nothing of fields that are other types. kubernetes-types is older,
// keeps the lines and says all.
import fs from 'node:fs';
import path from 'node:path';

/** `name?:` of a field, or the head of a type, each with the comment before it. A comment does not contain the end of a comment. */
const declaration =
  /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?(?:export (?:declare )?(?:class|interface|type) (\w+)|^ +['"]?([\w$-]+)['"]?\??: )/gm;

const comment = text => text.replaceAll(/\n *\* ?/g, '\n').trim();
/** The client escapes quotes and makes blanks of line breaks: two were a new paragraph, more an indented line. */
const unfolded = text =>
  text
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/(\S) ( +)(?=\S)/g, (_, before, more) => `${before}\n${more === ' ' ? '\n' : more}`);
/** It renames words of TypeScript. */
const fieldOfClient = name => name.replace(/^_/, '').replace(/^x_kubernetes_.*/, n => n.replaceAll('_', '-'));

/** Type -> field -> text; the field '' is the type itself. */
function declarations(source, text, field) {
  const types = new Map();
  let current;
  for (const [, said, type, name] of source.matchAll(declaration)) {
    if (type !== undefined) types.set(type, (current = new Map()));
    if (said !== undefined) current?.set(type === undefined ? field(name) : '', text(comment(said)));
  }
  return types;
}

function readDeclarations(file, text = t => t, field = f => f) {
  return fs.existsSync(file) ? declarations(fs.readFileSync(file, 'utf8'), text, field) : new Map();
}

const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

/** Of `io.k8s.api.core.v1` -> its types in the client: `V1Pod`, or `CoreV1Event` where groups have types of one name. */
function clientReader(root) {
  const models = path.join(root, 'dist', 'gen', 'models');
  return (home, type) => {
    const [group = '', version = ''] = home.split('.').slice(-2);
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
  return (home, type) => {
    const parts = home.split('.');
    return (read(`${parts.slice(-2).join('/')}.d.ts`) ?? new Map()).get(type) ?? read(`${parts.at(-1)}.d.ts`).get(type);
  };
}

const entities = { '&#x60;': '`', '&#x3D;': '=', '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
/** Comments of methods are written as HTML. */
const plainText = text => text.replaceAll(/&(?:#x?\w+|\w+);/g, entity => entities[entity] ?? entity);

/** A method with the comment before it. */
const method = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:async )?([a-z]\w*)\(/g;
const parameter = /@param (\w+)[ \t]+(\S[^\n]*)/g;

/** `listNamespacedPod` of `CoreV1Api` is the operation `listCoreV1NamespacedPod`. */
const operationOf = (api, name) => name.replace(/^[a-z]+/, verb => verb + api);
/** The client renames words of TypeScript. */
const parameterOfClient = name => name.replace(/^_/, '');

/** `common`: parameter -> the text that most operations have for it; `operations`: operation -> parameter -> another text. */
function parameterTexts(root) {
  const folder = path.join(root, 'dist', 'gen', 'apis');
  if (!fs.existsSync(folder)) return { common: {}, operations: {} };
  const found = [];
  for (const file of fs.readdirSync(folder).filter(name => /^[A-Z].*Api\.d\.ts$/.test(name))) {
    const api = file.slice(0, -'Api.d.ts'.length);
    const [requests] = fs.readFileSync(path.join(folder, file), 'utf8').split('ResponseProcessor');
    for (const [, said, name] of requests.matchAll(method))
      for (const [, given, text] of said.matchAll(parameter))
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

const squeezed = text => text.replaceAll(/\s+/g, ' ');

/** The client gives the text of a type that is written as a value (IntOrString, MicroTime) to the fields of the type. */
const ofValue = /^(\w*[A-Z]\w*) is a type |^(\w*Time) is version of /;

function merged(newer = new Map(), older = new Map(), values) {
  const texts = {};
  for (const [field, text] of newer) {
    const [, value, time] = (field !== '' && ofValue.exec(text)) || [];
    if (value === undefined && time === undefined) texts[field] = text;
    else values.set(value ?? time, text);
  }
  for (const [field, text] of older) {
    const said = texts[field];
    if (said === undefined ? newer.size === 0 || field !== '' : squeezed(said) === squeezed(text)) texts[field] = text;
  }
  return texts;
}

function table(types, ofClient, ofTypes) {
  const all = {};
  const values = new Map();
  for (const [home, rows] of Object.entries(types))
    all[home] = Object.fromEntries(
      Object.keys(rows).map(type => [type, merged(ofClient(home, type), ofTypes(home, type), values)]),
    );
  for (const types of Object.values(all))
    for (const [type, texts] of Object.entries(types)) {
      if (values.has(type)) texts[''] ??= values.get(type);
      if (!Object.keys(texts).length) delete types[type];
    }
  return all;
}

/**
 * Writes `package -> type -> field -> text` of the types of `typesFile` to `target`, and the texts of parameters of operations to
 * `parametersTarget`, unless they stand there from the same sources.
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
