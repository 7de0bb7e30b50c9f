import '../aggregation/remote/client.test.js';
import '../aggregation/proxy/all-clusters.test.js';
import '../aggregation/proxy/cluster-proxy.test.js';
import '../aggregation/proxy/forward.test.js';
import '../aggregation/search/proxying.test.js';
import '../aggregation/search/search-cache.test.js';
