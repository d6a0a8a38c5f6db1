import { Millrace } from './browser.ts';

// A page without modules gets the class as a global.
Object.assign(globalThis, { Millrace });
