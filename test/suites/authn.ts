import '../authn/pki/authority.test.js';
import '../authn/pki/files.test.js';
