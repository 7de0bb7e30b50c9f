import '../authn/access/rbac.test.js';
import '../authn/identity/bearer.test.js';
import '../authn/identity/client-certificate.test.js';
import '../authn/identity/impersonation.test.js';
import '../authn/pki/authority.test.js';
import '../authn/pki/files.test.js';
import '../registry/kinds/certificates/certificate-signing-request.test.js';
import '../registry/kinds/rbac/rules.test.js';
