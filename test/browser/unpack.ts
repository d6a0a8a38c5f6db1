/**
 * Unpacks the Chromium of @sparticuz/chromium where TMPDIR says. A process of its own, because the package takes from the
 * environment where to and what: it carries NSS, NSPR and expat too, but unpacks them only for what looks like AWS Lambda.
 */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
