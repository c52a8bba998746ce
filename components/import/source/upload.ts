import { UPLOAD_PART_BYTES } from "@/server/custom-fields/import/plan-schema";

/** The file types offered in the file picker. */
export const ACCEPT = ".csv,.tsv,.txt,.json,.ndjson,.xlsx,.gz";

type Part = { importId: string; fileNo: number; file: File; onProgress: (sent: number) => void };

/** The upload endpoint's JSON response, typed. */
const bodyOf = async <T>(answer: Response): Promise<T> => (await answer.json()) as T;

/** The error message from the server. */
async function problemOf(answer: Response): Promise<Error> {
  const problem = await bodyOf<{ detail?: string }>(answer).catch(() => null);
  return new Error(problem?.detail ?? "The upload failed. Nothing was changed.");
}

/**
 * Uploads a file in parts, so that no request takes long and a lost connection costs only one part.
 * @throws Error with the server's message
 */
export async function upload({ importId, fileNo, file, onProgress }: Part): Promise<void> {
  for (let offset = 0; offset < file.size || offset === 0; ) {
    const query = new URLSearchParams({
      importId,
      fileNo: String(fileNo),
      name: file.name,
      offset: String(offset),
      size: String(file.size),
    });
    const answer = await fetch(`/api/v1/custom-fields/imports/upload?${query}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file.slice(offset, offset + UPLOAD_PART_BYTES),
    }).catch(() => {
      throw new Error(`The connection was lost while ${file.name} was sent. Nothing was imported: choose it again.`);
    });
    if (!answer.ok) throw await problemOf(answer);
    const { received, complete } = await bodyOf<{ received: number; complete: boolean }>(answer);
    offset = received;
    onProgress(received);
    if (complete) return;
  }
}
