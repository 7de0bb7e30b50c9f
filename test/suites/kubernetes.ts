import '../conformance/kubernetes/api-operations.test.js';
import '../conformance/kubernetes/chunking.test.js';
import '../conformance/kubernetes/config.test.js';
import '../conformance/kubernetes/custom-resources.test.js';
import '../conformance/kubernetes/discovery.test.js';
import '../conformance/kubernetes/namespaces.test.js';
import '../conformance/kubernetes/watching.test.js';
