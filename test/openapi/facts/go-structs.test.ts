import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { goStructs } from '../../../tools/generate/go-structs.js';

const meta = `package v1

/* type Old struct {
	A string \`json:"a"\`
} */

type TypeMeta struct {
	// Kind is a kind.
	Kind string \`json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind"\`
}
`;

const things = `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/api/other/v2"
)

type Thing struct {
	metav1.TypeMeta \`json:",inline"\`
	Count *int32 \`json:"count,omitempty" protobuf:"varint,1,opt,name=count"\`

	// +optional
	Time metav1.Time \`json:"time,omitempty,omitzero"\`
	Names []string \`json:"names"\`
	Secret string \`json:"-"\`
	Source \`json:",inline"\`
	Rule \`json:",inline"\`
	internal string
}

// Old *int32 \`json:"old"\`
type Source struct {
	Host *Host \`json:"host"\`
}

type Rule = v2.Rule
`;

const other = `package v2

type Rule struct {
	Verb string \`json:"verb"\`
}
`;

t.test('JSON fields of Go structs are read from their source', async t => {
  const root = t.testdir({
    staging: {
      src: {
        'k8s.io': {
          api: { thing: { v1: { 'types.go': things } }, other: { v2: { 'types.go': other } } },
          apimachinery: { pkg: { apis: { meta: { v1: { 'types.go': meta } } } } },
        },
      },
    },
  });
  const structs = goStructs(root);
  const plain = { pointer: false, omitempty: false, omitzero: false };
  t.strictSame(structs('io.k8s.api.thing.v1.Thing'), [
    { ...plain, json: 'kind', omitempty: true },
    { ...plain, json: 'count', pointer: true, omitempty: true },
    { ...plain, json: 'time', omitempty: true, omitzero: true },
    { ...plain, json: 'names' },
    { ...plain, json: 'host', pointer: true },
    { ...plain, json: 'verb' },
  ]);
  t.equal(structs('io.k8s.apimachinery.pkg.apis.meta.v1.Old'), undefined, 'in a comment');
  t.equal(structs('io.k8s.api.nowhere.v1.Thing'), undefined);
  fs.writeFileSync(
    path.join(root, 'staging/src/k8s.io/api/other/v2/more.go'),
    'type A struct {\n\tB `json:",inline"`\n}\n',
  );
  t.throws(() => goStructs(root)('io.k8s.api.other.v2.A'), /cannot find the embedded/);
});
