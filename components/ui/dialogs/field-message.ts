import type { z } from "zod";
import { capitalized } from "@/server/ground/text";

/** Messages for validation errors of zod, whose own are for developers. */
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

/** Adds the subject that schema and server messages omit ("must have at least 12 characters"). */
export const sentence = (message: string) =>
  /^(is|has|must|names) /.test(message) ? `This field ${message}` : capitalized(message);
