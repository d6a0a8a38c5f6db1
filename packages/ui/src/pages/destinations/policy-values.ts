import type { Policy } from '../../../../server/src/admin/contract.ts';

/** A policy as it is typed; what is empty follows the service. */
export interface PolicyValues {
  readonly ratePerSecond: number | string;
  readonly maxConcurrency: number | string;
  readonly timeout: string;
  readonly retryWindow: string;
  readonly permanentStatuses: string[];
  readonly temporaryStatuses: string[];
}

export function policyValues(policy: Policy | null): PolicyValues {
  const { ratePerSecond = '', maxConcurrency = '', timeout = '', retryWindow = '' } = policy ?? {};
  const { permanentStatuses = [], temporaryStatuses = [] } = policy ?? {};
  return {
    ...{ ratePerSecond, maxConcurrency, timeout, retryWindow },
    permanentStatuses: permanentStatuses.map(String),
    temporaryStatuses: temporaryStatuses.map(String),
  };
}

/** Null where nothing is typed. */
export function policyOf(values: PolicyValues): Policy | null {
  const typed = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (Array.isArray(value)) return value.length === 0 ? [] : [[name, value.map(Number)]];
    const text = String(value).trim();
    if (text === '') return [];
    return [[name, name === 'timeout' || name === 'retryWindow' ? text : Number(text)]];
  });
  return typed.length === 0 ? null : (Object.fromEntries(typed) as Policy);
}
