/** The client alone: the index of the package loads its fetch, caches and mocks too, and each start would pay for them. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}
