import { callCases } from './call-cases.ts';
import { deliveryCases } from './delivery-cases.ts';
import { queueCases } from './queue-cases.ts';
import type { SuiteCase } from './suite-client.ts';

export type { SuiteCase } from './suite-client.ts';

/** Where the suite runs. */
export interface SuiteEnvironment {
  /** Of a scripted server. */
  readonly server: string;
}

/** What the client promises in every runtime: for Node and, bundled, for a page. Imports nothing of Node. */
export function coreSuite({ server }: SuiteEnvironment): SuiteCase[] {
  return [...callCases(server), ...queueCases(server), ...deliveryCases(server)];
}
