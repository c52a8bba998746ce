import { TriangleAlert } from "lucide-react";
import classes from "./viewer.module.css";

/** Says which parts of the address were not understood, instead of quietly showing something else. */
export function Misread({ parts }: { parts: string[] }) {
  return (
    <p className={classes.misread} role="status">
      <TriangleAlert size={15} aria-hidden />
      <span>
        Part of the address was not understood and is left out: {parts.join(", ")}. The list below is not narrowed by
        it.
      </span>
    </p>
  );
}
