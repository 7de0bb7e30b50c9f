import '../cli/controller-selection.test.js';
import '../cli/flags.test.js';
import '../cli/karmadactl.test.js';
import '../cli/up.test.js';
import '../cli/snapshot.test.js';
import '../cli/workers.test.js';
import '../cli/etcd.test.js';
