import type { z } from "zod";
import { capitalized } from "@/server/text";

/** Words under a field for what a schema leaves to zod, whose own messages are for developers. */
export const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  const unit = issue.origin === "string" ? " characters" : "";
  switch (issue.code) {
    case "invalid_type":
      return "Required";
    case "too_small":
      if (issue.origin === "array") return "Choose at least one";
      return unit && issue.minimum === 1 ? "Required" : `At least ${issue.minimum}${unit}`;
    case "too_big":
      return `At most ${issue.maximum.toLocaleString("en-GB")}${unit}`;
    case "invalid_format":
      return issue.format === "email" ? "Not a valid e-mail address" : undefined;
    default:
      return undefined;
  }
};

/** Schemas and the server speak of a field without naming it ("must have at least 12 characters"). */
export const sentence = (message: string) =>
  /^(is|has|must|names) /.test(message) ? `This field ${message}` : capitalized(message);
