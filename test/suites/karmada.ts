import '../admission/karmada/validate-lua.test.js';
import '../admission/plugins/karmada.test.js';
import '../kinds/karmada/clusters/cluster.test.js';
import '../kinds/karmada/compiled-types.test.js';
import '../kinds/karmada/custom-resources.test.js';
import '../kinds/karmada/feature-gates.test.js';
import '../kinds/karmada/install.test.js';
import '../kinds/karmada/quota/quota-charge.test.js';
