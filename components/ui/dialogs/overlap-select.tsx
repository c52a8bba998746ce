import { Select, type SelectProps } from "@mantine/core";

/** The default overlap. */
export const DEFAULT_OVERLAP_SECONDS = "86400";

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "1 hour" },
  { value: DEFAULT_OVERLAP_SECONDS, label: "1 day" },
  { value: "604800", label: "7 days" },
];

/** How long the previous secret keeps working after a rotation, in seconds. */
export const OverlapSelect = (props: Omit<SelectProps, "data">) => <Select data={OVERLAPS} data-autofocus {...props} />;
