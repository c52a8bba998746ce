import { duration } from "@/components/format/amounts";

/** A sign-in that needs a second factor: the challenge and the methods that can answer it. */
export type Challenge = { challenge: string; methods: string[]; passkeyOptions?: object };
type Outcome = { kind: "done" } | { kind: "refused"; message: string } | ({ kind: "second factor" } & Challenge);
type SignInResponse = { url?: string; code?: string } & Partial<Challenge>;

const ERROR_TEXT: Record<string, string> = {
  credentials: "Wrong e-mail address or password, or the account is disabled.",
  "second-factor": "The code is wrong, already used or expired. Try again, or sign in again.",
};
const UNREACHABLE = "The server could not be reached. Try again in a moment.";

const MINUTE_S = 60;

/** How long to wait, as the server says; in full minutes where it is more than one, so that it is never too short. */
export function tooManyText(retryAfter: string | null): string {
  const seconds = Number(retryAfter);
  if (!(seconds > 0)) return "Too many attempts. Try again later.";
  const wait = seconds < MINUTE_S ? seconds : Math.ceil(seconds / MINUTE_S) * MINUTE_S;
  return `Too many attempts. Try again in ${duration(wait)}.`;
}

function refusalText(step: string, { status, headers }: Response): string {
  if (status === 429) return tooManyText(headers.get("retry-after"));
  return (status === 401 && ERROR_TEXT[step]) || UNREACHABLE;
}

/** Posts one sign-in step to next-auth. Its own client would drop the challenge from the response. */
async function post(step: "credentials" | "second-factor", fields: Record<string, string>): Promise<Outcome> {
  const { csrfToken }: { csrfToken: string } = await (await fetch("/api/auth/csrf")).json();
  const response = await fetch(`/api/auth/callback/${step}`, {
    method: "POST",
    body: new URLSearchParams({ ...fields, csrfToken, json: "true", callbackUrl: window.location.origin }),
  });
  const answer: SignInResponse = await response.json();
  if (answer.code === "second_factor_required" && answer.challenge)
    return { kind: "second factor", methods: [], ...answer, challenge: answer.challenge };
  const error = answer.url && new URL(answer.url).searchParams.get("error");
  if (response.ok && !error) return { kind: "done" };
  return { kind: "refused", message: refusalText(step, response) };
}

/** Runs one sign-in step; errors are returned as text for the user. */
export const signInBy = (...step: Parameters<typeof post>): Promise<Outcome> =>
  post(...step).catch(() => ({ kind: "refused", message: UNREACHABLE }));
