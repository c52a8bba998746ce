import { errorText } from "@/components/ui/notice";

type FieldError = { path: string; message: string };

/** The server's complaints by field; what belongs to no field of the form is the form's own message. */
export function formErrors(
  error: unknown,
  fields: readonly string[],
): { of: (field: string) => string | null; general: string | null } {
  if (!error) return { of: () => null, general: null };
  const list = (error as { data?: { problem?: { errors?: FieldError[] } } }).data?.problem?.errors ?? [];
  const byField = new Map(list.map(({ path, message }) => [path, sentence(message)]));
  const known = fields.some((field) => byField.has(field));
  return { of: (field) => byField.get(field) ?? null, general: known ? null : errorText(error) };
}

/** "must have at least 12 characters" as a sentence under its field. */
const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1);
