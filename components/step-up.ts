/**
 * Connects callers refused for lack of a recent confirmation (step_up_required) with the dialog that asks for one. The dialog
 * is in the frame; requests come from links and fetches that know no component.
 */
type Ask = () => Promise<boolean>;

let ask: Ask | null = null;

/** Installs the dialog; answers how to take it away. */
export function onStepUp(dialog: Ask): () => void {
  ask = dialog;
  return () => {
    if (ask === dialog) ask = null;
  };
}

/** Asks the user to confirm their identity; false when they do not, or where no dialog can ask. */
export const confirmIdentity = (): Promise<boolean> => ask?.() ?? Promise.resolve(false);

/** fetch for our API, once more after the person has confirmed who they are, where the server asks for that. */
export async function fetchConfirmed(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.status !== 403) return response;
  const problem: { code?: string } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return problem.code === "step_up_required" && (await confirmIdentity()) ? fetch(...request) : response;
}
