import type { CSSProperties } from "react";

/** Values for a stylesheet's own variables, whose names React's types do not know. */
export const cssVariables = (variables: Record<`--${string}`, string>): CSSProperties => variables as CSSProperties;
