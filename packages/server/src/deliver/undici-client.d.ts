/**
 * The client alone: the index of the package loads its fetch, caches and mocks too, and each start would pay for them. What the index adds
 * to it (`request`, `stream`, `pipeline`) is not there.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}

/** The key under which a socket has its parser (`connection.ts`). */
declare module 'undici/lib/core/symbols.js' {
  const symbols: { readonly kParser: symbol };
  export = symbols;
}
