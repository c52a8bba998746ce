import { useQuery } from "@tanstack/react-query";
import { type Kind, PATH, type Reports } from "./shapes";

export type Asked = { orgId?: string; from?: string; to?: string };

/** An error as the tRPC door gives it, so that one notice shows both. */
async function problemOf(answer: Response): Promise<Error> {
  const problem: unknown = await answer.json().catch(() => undefined);
  return Object.assign(new Error(`The report answered ${answer.status}`), {
    data: { httpStatus: answer.status, problem },
  });
}

async function load<K extends Kind>(kind: K, asked: Asked, signal: AbortSignal): Promise<Reports[K]> {
  const query = new URLSearchParams(Object.entries(asked).filter((pair): pair is [string, string] => Boolean(pair[1])));
  const answer = await fetch(`/api/v1/audit-logs/${PATH[kind]}?${query}`, { signal });
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as Reports[K];
}

/** One report, from the same address at which programs find it. */
export function useReport<K extends Kind>(kind: K, asked: Asked) {
  return useQuery<Reports[K], Error>({
    queryKey: ["report", kind, asked],
    queryFn: ({ signal }) => load(kind, asked, signal),
    // The numbers of the range before stay until the new ones come; those of another report do not.
    placeholderData: (before, query) => (query?.queryKey[1] === kind ? before : undefined),
  });
}
