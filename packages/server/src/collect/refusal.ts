import type { FaultCode } from '../core/fault.ts';

/** Why a call was refused (contract 8.4). */
export interface Refusal {
  readonly code: FaultCode;
  readonly message: string;
}

export function isRefusal(result: object): result is Refusal {
  return 'code' in result;
}

export function refuse(code: FaultCode, message: string): Refusal {
  return { code, message };
}

export function notObject(field: 'properties' | 'traits' | 'context' | 'integrations'): Refusal {
  return refuse(`${field}_not_object`, `"${field}" must be a JSON object.`);
}
