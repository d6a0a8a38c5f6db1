import { unreachable } from './client.ts';
import { ApiProblem } from './problem.ts';
import { change } from './query.ts';

/** A track call, sent as a client library sends it. */
export interface TrackCall {
  readonly writeKey: string;
  readonly call: Readonly<Record<string, unknown>> & { readonly messageId: string };
}

export const collectionApi = {
  /** Over when the call is on disk; refused with the code and the message of the collection API. */
  track: () => change(track, ['events'], ['overview'], ['sources']),
};

/** How the collection API answers (docs/http-api.md, "Answers"). */
interface Answer {
  readonly success: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly rejected?: readonly { readonly code: string; readonly message: string }[];
}

async function track({ writeKey, call }: TrackCall): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, credentials: 'omit', body: JSON.stringify(call) } as const;
  const response = await fetch('/v1/track', init).catch((error: unknown) => {
    throw unreachable(error);
  });
  const answer = (await response.json().catch(() => ({ success: false }))) as Answer;
  if (answer.success && !answer.rejected) return;
  const { code = 'unreadable', message = `The call was not accepted (status ${response.status}).` } =
    answer.rejected?.[0] ?? answer;
  throw new ApiProblem({ code, status: response.status, detail: message });
}
