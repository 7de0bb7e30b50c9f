import '../registry/kinds/karmada/cluster.test.js';
import '../registry/kinds/karmada/names.test.js';
