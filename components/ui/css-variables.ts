import type { CSSProperties } from "react";

/** Custom properties as inline style; React's types do not include them. */
export const cssVariables = (variables: Record<`--${string}`, string>): CSSProperties => variables as CSSProperties;
