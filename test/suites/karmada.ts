import '../registry/admission/karmada.test.js';
import '../registry/kinds/karmada/clusters/cluster.test.js';
import '../registry/kinds/karmada/compiled-types.test.js';
import '../registry/kinds/karmada/custom-resources.test.js';
import '../registry/kinds/karmada/feature-gates.test.js';
import '../registry/kinds/karmada/install.test.js';
import '../registry/kinds/karmada/interpreter/lua.test.js';
