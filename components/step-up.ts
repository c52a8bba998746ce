/**
 * Connects requests that were refused for lack of a recent confirmation of identity (step_up_required) with the dialog
 * that asks for one. The dialog is in the frame; requests are made outside of React.
 */
type ConfirmDialog = () => Promise<boolean>;

let openDialog: ConfirmDialog | null = null;

/** Registers the dialog; returns a function that unregisters it. */
export function registerStepUpDialog(dialog: ConfirmDialog): () => void {
  openDialog = dialog;
  return () => {
    if (openDialog === dialog) openDialog = null;
  };
}

/** Asks the user to confirm their identity; false when they cancel, or no dialog is registered. */
export const confirmIdentity = (): Promise<boolean> => openDialog?.() ?? Promise.resolve(false);

/** fetch for our API that asks the user to confirm their identity if the server requires it, then retries. */
export async function fetchConfirmed(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.status !== 403) return response;
  const problem: { code?: string } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return problem.code === "step_up_required" && (await confirmIdentity()) ? fetch(...request) : response;
}
