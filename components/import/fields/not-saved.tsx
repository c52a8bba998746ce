import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";

/** Beside the step's button: why the last change of the mapping was not saved. */
export const NotSaved = ({ error }: { error: unknown }) =>
  error ? <Message tone="bad">{errorText(error)}</Message> : null;
